// SPDX-License-Identifier: MIT
// Reads the environment's variables in the order of their precedence, and writes files beside the old ones first.
#include "solvers/common/base/cache_folder.hpp"

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>

namespace reprise {

std::filesystem::path cache_folder() {
  using place = std::pair<const char*, std::string_view>;
  for (const auto& [variable, folder] :
       {place{"REPRISE_CACHE", ""}, place{"XDG_CACHE_HOME", "reprise"}, place{"HOME", ".cache/reprise"}}) {
    const char* const said = std::getenv(variable);
    if (said != nullptr && *said != '\0') return std::filesystem::path(said) / folder;
  }
  return {};
}

void write_cache_file(const std::filesystem::path& file, std::string_view text) {
  namespace fs = std::filesystem;
  std::error_code failed;
  fs::create_directories(file.parent_path(), failed);
  const fs::path fresh = file.string() + "." + std::to_string(getpid());
  {
    std::ofstream out(fresh);
    out << text;
    if (!out.flush()) failed = std::make_error_code(std::errc::io_error);
  }
  if (!failed) fs::rename(fresh, file, failed);
  if (failed) fs::remove(fresh, failed);
}

}  // namespace reprise
