// SPDX-License-Identifier: MIT
// Robust statistics of timings.
#include "reports/comparison_shift.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace reprise::reports {
namespace {

// The chance that the absolute value of a t-distributed number is below t (Abramowitz and Stegun 26.7.3, 4).
double student_within(int degrees_of_freedom, double t) {
  const double angle = std::atan(t / std::sqrt(degrees_of_freedom));
  const double cos2 = std::cos(angle) * std::cos(angle);
  const bool is_odd = degrees_of_freedom % 2 == 1;
  double term = is_odd ? std::cos(angle) : 1;
  double sum = degrees_of_freedom == 1 ? 0 : term;
  for (int k = is_odd ? 3 : 2; k < degrees_of_freedom; k += 2) {
    term *= cos2 * (k - 1) / k;
    sum += term;
  }
  sum *= std::sin(angle);
  return is_odd ? 2 / std::numbers::pi * (angle + sum) : sum;
}

}  // namespace

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
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
  std::sort(differences.begin(), differences.end());
  constexpr double normal_quantile = 2.576;  // 99 %, both sides
  const auto m = static_cast<double>(a.size());
  const auto n = static_cast<double>(b.size());
  const double outside = m * n / 2 - normal_quantile * std::sqrt(m * n * (m + n + 1) / 12);
  const auto first = static_cast<std::size_t>(std::max(0.0, std::floor(outside)));
  return {median(differences), differences[first], differences[differences.size() - 1 - first]};
}

double student_quantile(int degrees_of_freedom, double tail) {
  double low = 0;
  double high = 1;
  while (1 - student_within(degrees_of_freedom, high) > tail) high *= 2;
  constexpr int halvings = 60;
  for (int i = 0; i < halvings; ++i) {
    const double middle = (low + high) / 2;
    (1 - student_within(degrees_of_freedom, middle) > tail ? low : high) = middle;
  }
  return high;
}

}  // namespace reprise::reports
