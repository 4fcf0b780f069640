// SPDX-License-Identifier: MIT
// What run.json records about a file of its run.
#pragma once

#include <cstddef>
#include <string>

namespace reprise::reports {

struct file_record {
  std::size_t bytes{};
  std::string sha256;
  // Length and hash of rows.csv after an append that was about to start; 0 if there was none.
  std::size_t announced{};
  std::string announced_sha256{};
};

}  // namespace reprise::reports
