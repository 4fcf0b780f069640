// SPDX-License-Identifier: MIT
// Maxima that keep a NaN. std::max, std::min, std::max_element and Eigen's plain maxCoeff may skip it,
// because every comparison with it is false. No check uses those.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>

namespace reprise::checkers {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

// Raises a maximum. It stays NaN once a value was NaN.
inline void raise(double& most, double value) {
  if (!std::isnan(most) && !(value <= most)) most = value;
}

// Lowers a minimum. It stays NaN once a value was NaN.
inline void lower(double& least, double value) {
  if (!std::isnan(least) && !(value >= least)) least = value;
}

inline double larger(double a, double b) {
  raise(a, b);
  return a;
}

inline double smaller(double a, double b) {
  lower(a, b);
  return a;
}

template <std::integral Integer>
Integer larger(Integer a, Integer b) {
  return a < b ? b : a;
}

template <std::integral Integer>
Integer smaller(Integer a, Integer b) {
  return b < a ? b : a;
}

// The maximum of a vector's or matrix's entries, which must not be empty.
template <class Derived>
double largest(const Eigen::DenseBase<Derived>& values) {
  return static_cast<double>(values.template maxCoeff<Eigen::PropagateNaN>());
}

template <class Values>
double largest_magnitude(const Values& values) {
  double most = 0;
  for (const double value : values) raise(most, std::abs(value));
  return most;
}

template <class Values>
bool all_finite(const Values& values) {
  for (const double value : values)
    if (!std::isfinite(value)) return false;
  return true;
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
