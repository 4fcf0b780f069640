// SPDX-License-Identifier: MIT
// The folder of the sources, with the data that tests read.
#pragma once

#include <string>

namespace reprise::testing {

// Not a macro for all tests: one more argument that names the folder would keep a compiler cache from knowing any
// file of a build in another folder.
std::string source_dir();

}  // namespace reprise::testing
