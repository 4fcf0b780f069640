// SPDX-License-Identifier: MIT
// All fields of a run in one packed file. Variants of a case have nearly the same field, so together they are far shorter.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "reports/store/file_record.hpp"

namespace reprise::reports {

// Holds the contents of all fields that run.json lists, one after another in its order.
constexpr std::string_view packed_fields_name = "fields.csv.xz";

// Whether the field of this path below the run's folder is to be read from the packed file: that is there, and no file of the
// field alone.
bool is_packed_with_others(const std::filesystem::path& folder, const std::string& path);

class packed_fields {
 public:
  // `recorded` has the path below the run's folder of each field of run.json.
  packed_fields(const std::filesystem::path& folder, const std::map<std::string, file_record>& recorded);

  const std::filesystem::path& file() const { return file_; }

  // The contents of a field of run.json; shorter if the packed file ends too early. Unpacks the file at the first call. Throws
  // bad_input if it is damaged, or longer than what run.json records.
  std::string text_of(const std::string& path);

 private:
  struct part {
    std::size_t begin{}, bytes{};
  };

  std::filesystem::path file_;
  std::map<std::string, part> parts_;
  std::size_t bytes_{};
  std::optional<std::string> text_;
};

}  // namespace reprise::reports
