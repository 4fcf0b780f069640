// SPDX-License-Identifier: MIT
// Draws the figures and the page of a report.
#pragma once

#include <filesystem>

namespace reprise::benchmarks {

// Runs scripts/plot below `home`. Throws bad_input if that fails: the report lacks its page and pictures, but its
// tables are complete.
void draw(const std::filesystem::path& report, const std::filesystem::path& home);

}  // namespace reprise::benchmarks
