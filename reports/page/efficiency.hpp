// SPDX-License-Identifier: MIT
// Figures that no paper prints but that can be made from every paper's rows: a roofline plot
// and a work-precision diagram.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "reports/page/figures.hpp"

namespace reprise::reports {

// Roofline: the best rate of each variant on each device against its arithmetic intensity (operations per
// byte that must cross the memory bus), with the roofs measured in the same run. One panel for each device
// and precision. Empty if no row has both rates.
std::optional<figure> make_roofline(const std::string& word, std::span<const shown_row> rows,
                                    std::span<const run> runs);

// The same of all papers' rows on one device, where a colour stands for a paper. `owner` begins the figure's id.
std::optional<figure> make_device_roofline(const std::string& owner, std::span<const shown_row> rows,
                                           std::span<const run> runs);

// Work-precision diagram: the L2 error of each solve against its time, including the paper's
// solves. Empty if no solve has both.
std::optional<figure> make_work_precision(const std::string& word, std::span<const shown_row> rows,
                                          std::span<const run> runs);

}  // namespace reprise::reports
