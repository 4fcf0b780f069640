// SPDX-License-Identifier: MIT
// `reprise collect`: the runs of many nodes as one report.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

namespace reprise::benchmarks {

struct collect_request {
  std::vector<std::string> folders{};  // of runs, or with runs somewhere below
  std::vector<std::string> vary{};     // properties in which the runs may differ
  std::filesystem::path noise{};       // what `compare --floor` wrote; empty: the default floor
  std::filesystem::path out{};         // a folder for CSV, Markdown and fleet.json; empty: none
};

enum class fleet_outcome { good, wrong, slower, incomplete };

// `home` is the folder that has reference/published and reports/claims. Throws bad_input for what is no run,
// and for runs that do not go together.
fleet_outcome collect(const collect_request& request, const std::filesystem::path& home, std::ostream& out);

}  // namespace reprise::benchmarks
