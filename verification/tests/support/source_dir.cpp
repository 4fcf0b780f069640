// SPDX-License-Identifier: MIT
#include "verification/tests/support/source_dir.hpp"

std::string reprise::testing::source_dir() {
  return REPRISE_SOURCE_DIR;
}
