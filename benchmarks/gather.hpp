// SPDX-License-Identifier: MIT
// Gathers what reports and verdicts are made of: the families' layouts, and the folders of runs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "reports/comparison.hpp"
#include "reports/ledger.hpp"

namespace reprise::benchmarks {

// The runs that come with the program, below home/reports/recorded, in the order of their paths.
std::vector<std::string> recorded_runs(const std::filesystem::path& home);

// How each paper's tables and figures are laid out.
std::vector<reports::family_layout> layouts();

// Where comparisons find recorded devices, published numbers and claims.
reports::comparison_sources comparison_sources_below(const std::filesystem::path& home);

// `home` is the folder that has reference/published and reports/claims. Throws bad_input for a folder that is
// no run, or no whole one, or whose rows another one has.
reports::material gather(const std::filesystem::path& home, const std::vector<std::string>& folders);

// What a reader of several runs has to know, a line each: what was wrong with a run and could be mended, runs
// of different presets, papers that no run has a number of.
std::vector<std::string> remarks_on(const reports::material& from);

}  // namespace reprise::benchmarks
