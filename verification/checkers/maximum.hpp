// SPDX-License-Identifier: MIT
// Maxima that keep a NaN. std::max, std::max_element and Eigen's maxCoeff may skip it, because every comparison
// with it is false. No check uses those.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>

namespace reprise::checkers {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

// Raises a maximum. It stays NaN once a value was NaN.
inline void raise(double& most, double value) {
  if (!std::isnan(most) && !(value <= most)) most = value;
}

inline double larger(double a, double b) {
  raise(a, b);
  return a;
}

template <class Values>
double largest_magnitude(const Values& values) {
  double most = 0;
  for (const double value : values) raise(most, std::abs(value));
  return most;
}

// max |a - b|; NaN if the lengths differ.
template <class Values, class Others>
double largest_distance(const Values& a, const Others& b) {
  if (static_cast<std::size_t>(a.size()) != static_cast<std::size_t>(b.size())) return not_a_number;
  double most = 0;
  auto other = b.begin();
  for (const double value : a) raise(most, std::abs(value - *other++));
  return most;
}

}  // namespace reprise::checkers
