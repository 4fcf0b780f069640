// SPDX-License-Identifier: MIT
// All fields of a run in one packed file. Variants of a case have nearly the same field, so together they are far shorter.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace reprise::reports {

constexpr std::string_view packed_fields_name = "fields.csv.xz";

// The path of each field below the run's folder and its bytes, as run.json has them, in its order. The packed file holds their
// contents in this order, one after another.
using recorded_fields = std::vector<std::pair<std::string, std::size_t>>;

class packed_fields {
 public:
  packed_fields(const std::filesystem::path& folder, const recorded_fields& fields);

  const std::filesystem::path& file() const { return file_; }

  // Whether the field is to be read from the packed file: that is there, and no file of the field alone.
  bool holds(const std::string& path) const;

  // The contents of a field of run.json; shorter if the packed file ends too early. Unpacks the file at the first call. Throws
  // bad_input if it is damaged, or longer than what run.json records.
  std::string text_of(const std::string& path);

 private:
  struct part {
    std::size_t begin{}, bytes{};
  };

  std::filesystem::path folder_, file_;
  std::map<std::string, part> parts_;
  std::size_t bytes_{};
  std::optional<std::string> text_;
};

}  // namespace reprise::reports
