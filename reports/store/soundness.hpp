// SPDX-License-Identifier: MIT
// What the rows and samples of a run must fulfil, whoever wrote them: possible values, no number twice, and medians
// that follow from the samples.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "reports/store/row.hpp"

namespace reprise::reports {

// Why no measurement gives this row; empty if one may.
std::string flaw_of(const row& r);

// Why these are not the samples of that row; empty if they are. Median, quartiles and number must follow from them.
std::string flaw_of(const row& r, std::span<const sample> own);

// Takes the number from each impossible row: a time is skipped, anything else failed, with the flaw as reason.
void without_impossible(std::vector<row>& rows, std::vector<sample>& samples);

// Throws bad_input, with file and line, for a flaw, a number that is there twice, and samples without their row.
void require_sound(const std::filesystem::path& folder, std::span<const row> rows,
                   std::span<const sample> samples);

}  // namespace reprise::reports
