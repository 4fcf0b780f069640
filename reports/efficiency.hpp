// SPDX-License-Identifier: MIT
// Two figures that no paper prints and every paper's rows can make: rates under the roofs of their devices,
// and errors against the time that they took.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "reports/run_folder.hpp"
#include "reports/tables.hpp"

namespace reprise::reports {

// The best rate of each variant on each device against its arithmetic intensity, operations for each byte
// that must cross the memory bus, under the roofs that were measured in the same run. A panel for each device
// and precision. None where no row has both rates.
std::optional<figure> make_roofline(const std::string& word, std::span<const shown_row> rows,
                                    std::span<const run> runs);

// The error in the L2 norm of each solve against its time, of the paper's solves too. None where no solve has
// both.
std::optional<figure> make_work_precision(const std::string& word, std::span<const shown_row> rows,
                                          std::span<const run> runs);

}  // namespace reprise::reports
