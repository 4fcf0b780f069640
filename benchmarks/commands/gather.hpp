// SPDX-License-Identifier: MIT
// Gathers the input of reports and verdicts: the families' layouts and the runs in folders.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "reports/compare/sources.hpp"
#include "reports/judging/assessment.hpp"

namespace reprise::benchmarks {

// The folders of the runs that come with the program, below home/reports/recorded, sorted by path.
std::vector<std::string> recorded_runs(const std::filesystem::path& home);

// How each paper's tables and figures are laid out.
std::vector<reports::family_layout> layouts();

// The folders in which comparisons find recorded devices, published numbers and claims.
reports::comparison_sources comparison_sources_below(const std::filesystem::path& home);

// Makes the run's derived rows again by the present rules. What that changes becomes a warning of the run.
void renew_derived(reports::run& r);

// `home` is the folder that holds reference/published and reports/claims. Throws bad_input if a folder holds
// no complete run, or if two runs have the same rows.
reports::report_input gather(const std::filesystem::path& home, const std::vector<std::string>& folders);

// The names of the runs that were made with each preset.
std::map<std::string, std::vector<std::string>> names_by_preset(const std::vector<reports::run>& runs);

// Remarks for a reader of several runs, one per line: defects of a run that were repaired, differing presets,
// and papers without any measured number.
std::vector<std::string> remarks_on(const reports::report_input& from);

}  // namespace reprise::benchmarks
