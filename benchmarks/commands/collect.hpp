// SPDX-License-Identifier: MIT
// `reprise collect`: reports the runs of many nodes together.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "benchmarks/commands/outcome.hpp"

namespace reprise::benchmarks {

struct collect_request {
  std::vector<std::string> folders{};  // runs, or folders with runs somewhere below
  std::vector<std::string> vary{};     // properties in which the runs may differ
  std::filesystem::path noise{};       // noise file written by `compare --floor`; empty: the default floor
  std::filesystem::path out{};         // folder for CSV, Markdown and fleet.json; empty: none is written
};

// `home` is the folder that holds reference/published and reports/claims. Throws bad_input for a folder
// without a run, and for runs that cannot be compared.
outcome collect(const collect_request& request, const std::filesystem::path& home, std::ostream& out);

// Collects, and draws the figures and the page if the request has a folder for output.
outcome collect_and_draw(const collect_request& request, const std::filesystem::path& home,
                         std::ostream& out);

}  // namespace reprise::benchmarks
