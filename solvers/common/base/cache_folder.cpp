// SPDX-License-Identifier: MIT
// Reads the environment's variables in the order of their precedence.
#include "solvers/common/base/cache_folder.hpp"

#include <cstdlib>
#include <string_view>
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

}  // namespace reprise
