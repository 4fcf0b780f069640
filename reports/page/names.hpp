// SPDX-License-Identifier: MIT
// The names by which pages, figures and tables call variants and papers: "Shared memory (CUDA)" for jacobi/cuda_shared.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace reprise::reports {

class variant_names {
 public:
  variant_names() = default;
  explicit variant_names(std::map<std::string, std::string, std::less<>> by_id) : by_id_(std::move(by_id)) {}

  // A variant without a name, such as a new file, is called by its file's name.
  std::string of(std::string_view id) const;
  bool contains(std::string_view id) const { return by_id_.contains(id); }

 private:
  std::map<std::string, std::string, std::less<>> by_id_;
};

// Throws bad_input with file and line for a name that cannot be read, and for one that two variants of a paper have.
variant_names read_variant_names(const std::filesystem::path& file);

struct paper_name {
  std::string id;     // the paper's word
  std::string name;   // shorter than its title
  std::string about;  // its subject, year and board
  std::string cited;  // its authors, and where it can be found
};

// Throws bad_input with file and line for a name that cannot be read.
std::vector<paper_name> read_paper_names(const std::filesystem::path& file);

}  // namespace reprise::reports
