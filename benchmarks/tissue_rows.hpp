// SPDX-License-Identifier: MIT
// What is computed from the tissue paper's rows: ratios, slopes, the crossover, orders, floors, times at an
// error.
#pragma once

#include <span>
#include <vector>

#include "reports/row.hpp"

namespace reprise::harness::tissue_rows {

// The step of cases that name none.
constexpr double real_time_dt = .01;  // ms

// Wall time over simulated time, in the models whose time is in milliseconds.
std::vector<reports::row> ratios(std::span<const reports::row> rows);
// And how it falls with the step, and what a stage more costs.
std::vector<reports::row> fig4_rows(std::span<const reports::row> rows);
// And where the constant through the small grids meets the parabola through the largest one.
std::vector<reports::row> fig5_rows(std::span<const reports::row> rows);
// The error that shorter steps do not lower, where a line has got there.
std::vector<reports::row> fig6_rows(std::span<const reports::row> rows);
// Fitted to all errors above rounding and the reference's uncertainty.
std::vector<reports::row> orders(std::span<const reports::row> rows);
// The time to an error: the step that the fit asks for, but at most the longest that is stable, at what a
// step takes on the paper's grid.
std::vector<reports::row> fig7_rows(std::span<const reports::row> rows);

}  // namespace reprise::harness::tissue_rows
