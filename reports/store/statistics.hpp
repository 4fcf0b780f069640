// SPDX-License-Identifier: MIT
// Statistics of timings: medians, quantiles, and an estimate of how much longer one list of timings is than
// another, with a confidence interval.
#pragma once

#include <span>
#include <vector>

namespace reprise::reports {

double median(std::vector<double> values);

// The quantile `q`, interpolated linearly between the values, which must be sorted and not empty.
double quantile(std::span<const double> sorted, double q);

// Logarithms of the medians of successive blocks of samples. Successive samples of a process have correlated
// noise; block medians have far less, and outliers do not shift them. There are ten blocks, or as many as
// samples if those are fewer.
std::vector<double> block_medians(std::span<const double> samples);

// With fewer blocks on either side, an interval is meaningless.
constexpr std::size_t fewest_blocks = 5;

// A shift between logarithms: ln 1.05 means 5 % longer.
struct shift {
  double estimate{};
  double low{}, high{};  // 99 % confidence interval
};

// The Hodges-Lehmann shift from a to b: the median of all differences between an element of b and one of a,
// with the confidence interval of the Mann-Whitney test. Neither may be empty.
shift shift_between(std::span<const double> a, std::span<const double> b);

// The value that |T| exceeds with probability `tail`, for Student's t distribution.
double student_quantile(int degrees_of_freedom, double tail);

}  // namespace reprise::reports
