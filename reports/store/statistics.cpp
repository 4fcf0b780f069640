// SPDX-License-Identifier: MIT
// Implements robust statistics of timings.
#include "reports/store/statistics.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/statistics/univariate_statistics.hpp>
#include <cmath>
#include <cstddef>

namespace reprise::reports {

double median(std::vector<double> values) {
  return boost::math::statistics::median(values);
}

double quantile(std::span<const double> sorted, double q) {
  const double place = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(place));
  const auto above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - std::floor(place)) * (sorted[above] - sorted[below]);
}

std::vector<double> block_medians(std::span<const double> samples) {
  constexpr std::size_t most_blocks = 10;
  const auto blocks = std::min(most_blocks, samples.size());
  std::vector<double> medians;
  for (std::size_t i = 0; i < blocks; ++i) {
    const auto begin = samples.size() * i / blocks;
    const auto end = samples.size() * (i + 1) / blocks;
    const auto block = samples.subspan(begin, end - begin);
    medians.push_back(std::log(median({block.begin(), block.end()})));
  }
  return medians;
}

shift shift_between(std::span<const double> a, std::span<const double> b) {
  std::vector<double> differences;
  for (const double y : b) {
    for (const double x : a) differences.push_back(y - x);
  }
  std::ranges::sort(differences);
  constexpr double normal_quantile = 2.576;  // 99 %, two-sided
  const auto m = static_cast<double>(a.size());
  const auto n = static_cast<double>(b.size());
  const double outside = m * n / 2 - normal_quantile * std::sqrt(m * n * (m + n + 1) / 12);
  const auto first = static_cast<std::size_t>(std::max(0.0, std::floor(outside)));
  return {median(differences), differences[first], differences[differences.size() - 1 - first]};
}

double student_quantile(int degrees_of_freedom, double tail) {
  return boost::math::quantile(
      boost::math::complement(boost::math::students_t(degrees_of_freedom), tail / 2));
}

}  // namespace reprise::reports
