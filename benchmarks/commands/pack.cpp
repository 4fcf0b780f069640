// SPDX-License-Identifier: MIT
// Packs runs and prints their sizes.
#include "benchmarks/commands/pack.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <ostream>

#include "benchmarks/harness/crate.hpp"
#include "reports/store/packed_run.hpp"

namespace reprise::benchmarks {

void pack(const pack_request& request, std::ostream& out) {
  for (const std::filesystem::path folder : request.runs) {
    auto sizes = request.undo ? reports::unpack_run(folder) : reports::pack_run(folder);
    // The metadata name each file as it is stored.
    if (std::filesystem::exists(folder / harness::crate_name)) harness::write_crate(folder);
    out << fmt::format("{}: {} bytes became {}\n", folder.string(), sizes.before, sizes.after);
  }
}

}  // namespace reprise::benchmarks
