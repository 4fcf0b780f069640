// SPDX-License-Identifier: MIT
// Runs scripts/plot and warns if it fails.
#include "benchmarks/commands/draw.hpp"

#include <fmt/core.h>

#include <cstdlib>
#include <iostream>

#include "solvers/common/base/error.hpp"

namespace reprise::benchmarks {

void draw(const std::filesystem::path& report, const std::filesystem::path& home) {
  const std::filesystem::path script = home / "scripts" / "plot";
  const std::string command = fmt::format("'{}' '{}'", script.string(), report.string());
  // The script prints too. Where nothing can be printed, that is the error, and main() reports it.
  if (!std::cout.flush()) return;
  if (command.find('\'', 1) != script.string().size() + 1 || !std::filesystem::exists(script) ||
      std::system(command.c_str()) != 0)
    throw bad_input(
        fmt::format("figures and page were not drawn; the tables are complete. Run {} {} to see why",
                    script.string(), report.string()));
}

}  // namespace reprise::benchmarks
