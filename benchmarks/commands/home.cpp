// SPDX-License-Identifier: MIT
// Finds the program's data from the place of the program itself, so that an installed prefix can be moved.
#include "benchmarks/commands/home.hpp"

#include <fmt/core.h>

#include <cstdlib>

#include "solvers/common/base/error.hpp"

namespace reprise::benchmarks {

namespace {

namespace fs = std::filesystem;

fs::path installed_data() {
  std::error_code unreadable;
  const fs::path program = fs::read_symlink("/proc/self/exe", unreadable);
  return (program.parent_path() / REPRISE_DATA_FROM_PROGRAM).lexically_normal();
}

bool has_data(const fs::path& folder) {
  std::error_code hidden;
  return fs::is_directory(folder / "reference" / "published", hidden);
}

}  // namespace

fs::path find_home() {
  if (const char* const set = std::getenv("REPRISE_HOME")) return set;
  const fs::path installed = installed_data();
  for (const fs::path& folder : {installed, fs::path(REPRISE_SOURCE_DIR)})
    if (has_data(folder)) return folder;
  throw bad_input(
      fmt::format("the program's data are neither in {} nor in {}: install it with cmake --install, "
                  "or set REPRISE_HOME to a copy of the sources",
                  installed.string(), REPRISE_SOURCE_DIR));
}

}  // namespace reprise::benchmarks
