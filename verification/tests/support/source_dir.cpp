// SPDX-License-Identifier: MIT
// The folder that the build was made from.
#include "verification/tests/support/source_dir.hpp"

std::string reprise::testing::source_dir() {
  return REPRISE_SOURCE_DIR;
}
