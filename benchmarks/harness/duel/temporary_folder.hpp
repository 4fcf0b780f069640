// SPDX-License-Identifier: MIT
// A folder for the output of other programs.
#pragma once

#include <filesystem>

namespace reprise::duels {

// Removed with its content when the object ends. Throws bad_input if TMPDIR takes no folder.
class temporary_folder {
 public:
  temporary_folder();
  ~temporary_folder();
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace reprise::duels
