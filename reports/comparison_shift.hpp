// SPDX-License-Identifier: MIT
// By how much one list of timings is longer than another, and how well that is known.
#pragma once

#include <span>
#include <vector>

namespace reprise::reports {

double median(std::vector<double> values);

// Logarithms of the medians of successive blocks of samples. Samples of one process follow each other's
// noise, medians of blocks far less, and an outlier does not move them. At most ten blocks, as many as there
// are samples where those are fewer.
std::vector<double> block_medians(std::span<const double> samples);

// With fewer blocks a side no interval means anything.
constexpr std::size_t fewest_blocks = 5;

// Of logarithms: ln 1.05 is five percent longer.
struct shift {
  double estimate{};
  double low{}, high{};  // 99 % confidence
};

// The Hodges-Lehmann shift from a to b: the median of all differences of a block of one and a block of the
// other, with the interval that the Mann-Whitney test inverts to. Neither may be empty.
shift shift_between(std::span<const double> a, std::span<const double> b);

// What the absolute value of a t-distributed number stays below but for a chance of `tail`.
double student_quantile(int degrees_of_freedom, double tail);

}  // namespace reprise::reports
