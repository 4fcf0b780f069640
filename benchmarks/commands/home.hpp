// SPDX-License-Identifier: MIT
// Where the program finds its data.
#pragma once

#include <filesystem>

namespace reprise::benchmarks {

// The folder that holds reference/published, reports and scripts: $REPRISE_HOME where it is set, else the share/reprise
// that was installed with the program, else the sources that the program was built from. Throws bad_input if none
// exists.
std::filesystem::path find_home();

}  // namespace reprise::benchmarks
