// SPDX-License-Identifier: MIT
// Draws the figures and the page of a report.
#pragma once

#include <filesystem>

namespace reprise::benchmarks {

// Runs scripts/plot below `home`. If that fails, prints a message: the report lacks pictures but its tables
// are complete.
void draw(const std::filesystem::path& report, const std::filesystem::path& home);

}  // namespace reprise::benchmarks
