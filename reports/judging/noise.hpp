// SPDX-License-Identifier: MIT
// How far a row's number may be off.
#pragma once

#include "reports/judging/selection.hpp"

namespace reprise::reports {

// A number with the interval in which it lies: quartiles of times, confidence intervals of fits, roundings of printed
// numbers. A number without an interval is exact.
struct interval {
  double value{no_value};
  double low{no_value};
  double high{no_value};

  bool is_exact() const { return low == high; }
};

// A time of one sample has no quartiles. Recorded times of one processor differ by up to this factor from run to run.
constexpr double single_sample_factor = 2;

// So many runs with a sample each say as much as one run with as many samples.
constexpr int enough_single_samples = 3;

// The interval of a row: a time of one sample lies between the samples of enough runs, or within a factor of two of it.
interval interval_of(const candidate& c, const evidence& known);

// Whether the row is a time of one sample that too few runs have.
bool is_lone_sample(const candidate& c, const evidence& known);

// Whether a row's interval is the noise of samples of its own. All other intervals may err alike in several rows: fits to one
// calculation, numbers that share a divisor, single runs beside the same neighbour.
bool is_sampled_time(const row& r);

}  // namespace reprise::reports
