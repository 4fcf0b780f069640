// SPDX-License-Identifier: MIT
// A folder that exists for the duration of one test, and helpers for files.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>

namespace reprise::testing {

class temporary_folder {
 public:
  temporary_folder() {
    auto name = (std::filesystem::temp_directory_path() / "reprise_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed on " + name);
    path_ = name;
  }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;
  ~temporary_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

inline std::string text_in(const std::filesystem::path& file) {
  std::ifstream from(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(from), {}};
}

inline void put(const std::filesystem::path& file, std::string_view text) {
  std::ofstream(file, std::ios::binary) << text;
}

inline void put_at_end(const std::filesystem::path& file, std::string_view text) {
  std::ofstream(file, std::ios::binary | std::ios::app) << text;
}

// The message of the exception that a call throws; empty if it throws none of this type.
template <class Exception, class Call>
std::string complaint_of(Call call) {
  try {
    call();
  } catch (const Exception& problem) {
    return problem.what();
  }
  return {};
}

}  // namespace reprise::testing
