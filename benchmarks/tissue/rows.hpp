// SPDX-License-Identifier: MIT
// Rows computed from the tissue paper's measured rows: ratios, slopes, the crossover, orders,
// floors, and times at an error.
#pragma once

#include <span>
#include <vector>

#include "reports/store/row.hpp"

namespace reprise::harness::tissue_rows {

// The step of cases whose parameter names none.
constexpr double real_time_dt = .01;  // ms

// Wall time over simulated time, for the models whose time is in milliseconds.
std::vector<reports::row> ratios(std::span<const reports::row> rows);
// These ratios, their slope over the step, and the cost of each additional stage.
std::vector<reports::row> fig4_rows(std::span<const reports::row> rows);
// These ratios, and the width at which the constant time of small grids meets the
// parabola through the largest grid.
std::vector<reports::row> fig5_rows(std::span<const reports::row> rows);
// The error that halving the step no longer lowers, for lines that reach it above the uncertainty of the reference.
std::vector<reports::row> fig6_rows(std::span<const reports::row> rows);
// Orders fitted to the asymptotic range of the errors above rounding and above the uncertainty of the reference. A line
// that shows no order has a skipped row with the reason.
std::vector<reports::row> orders(std::span<const reports::row> rows);
// The time of a run to a given error, interpolated between the measured errors (see time_at_error). The time
// of a step is that on the paper's grid.
std::vector<reports::row> fig7_rows(std::span<const reports::row> rows);

// The time of a run to a given error, from runs whose time and error were both measured on the same grid.
std::vector<reports::row> equal_error_rows(std::span<const reports::row> rows);
// What single precision costs and gains: each line's least error and the orders between neighbouring steps in either
// precision, and the errors and times of single precision over those of double.
std::vector<reports::row> precision_rows(std::span<const reports::row> rows);
// The orders with the number of the switch's continuous derivatives as a number of their parameter.
std::vector<reports::row> orders_by_smoothness(std::span<const reports::row> rows);

}  // namespace reprise::harness::tissue_rows
