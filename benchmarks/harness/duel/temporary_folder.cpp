// SPDX-License-Identifier: MIT
// Makes a folder with a name of its own.
#include "benchmarks/harness/duel/temporary_folder.hpp"

#include <cstdlib>
#include <string>

#include "solvers/common/base/error.hpp"

namespace reprise::duels {

namespace fs = std::filesystem;

temporary_folder::temporary_folder() {
  std::error_code code;
  const fs::path parent = fs::temp_directory_path(code);
  std::string name = (parent / "reprise-XXXXXX").string();
  if (code || ::mkdtemp(name.data()) == nullptr)
    throw bad_input("no folder can be created in " + (code ? "TMPDIR" : parent.string()) +
                    ": set TMPDIR to a folder of yours");
  path_ = name;
}

temporary_folder::~temporary_folder() {
  std::error_code code;
  fs::remove_all(path_, code);
}

}  // namespace reprise::duels
