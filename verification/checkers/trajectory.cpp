// SPDX-License-Identifier: MIT
// Computes how far a trajectory with steep fronts is from its reference.
#include "verification/checkers/trajectory.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "verification/checkers/maximum.hpp"

namespace reprise::checkers {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

// Whether both curves are sound and all these numbers finite.
bool are_usable(const curve& a, const curve& b, std::initializer_list<double> numbers) {
  return a.is_sound() && b.is_sound() && all_finite(numbers);
}

// The segment that contains t; outside of all, the first or the last one.
std::size_t segment_at(const curve& c, double t) {
  const auto after = std::upper_bound(c.t.begin(), c.t.end(), t) - c.t.begin();
  return static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(after - 1, 0, std::ssize(c.t) - 2));
}

double linear(const curve& c, double t) {
  if (t <= c.t.front()) return c.v.front();
  if (t >= c.t.back()) return c.v.back();
  const std::size_t i = segment_at(c, t);
  return c.v[i] + (c.v[i + 1] - c.v[i]) * (t - c.t[i]) / (c.t[i + 1] - c.t[i]);
}

//t - time at which segment i takes the value|; infinite if it does not.
double time_distance(const curve& c, std::size_t i, double t, double value) {
  const double low = smaller(c.v[i], c.v[i + 1]);
  const double high = larger(c.v[i], c.v[i + 1]);
  if (value < low || value > high) return infinite;
  if (low == high) return larger(0, larger(c.t[i] - t, t - c.t[i + 1]));
  return std::abs(c.t[i] + (value - c.v[i]) / (c.v[i + 1] - c.v[i]) * (c.t[i + 1] - c.t[i]) - t);
}

// The smallest such distance up to `at_most`, searched outwards from t; infinite if there is none.
double horizontal(const curve& c, double t, double value, double at_most) {
  double least = infinite;
  const std::size_t middle = segment_at(c, t);
  for (std::size_t i = middle; i + 1 < c.t.size() && c.t[i] - t <= smaller(least, at_most); ++i)
    lower(least, time_distance(c, i, t, value));
  for (std::size_t i = middle; i-- > 0 && t - c.t[i + 1] <= smaller(least, at_most);)
    lower(least, time_distance(c, i, t, value));
  return least > at_most ? infinite : least;
}

// The distance to the nearest value that the reference takes within the window around t.
double value_distance(const curve& c, double t, double value, double window) {
  double low = smaller(linear(c, t - window), linear(c, t + window));
  double high = larger(linear(c, t - window), linear(c, t + window));
  const auto begin = std::lower_bound(c.t.begin(), c.t.end(), t - window) - c.t.begin();
  for (auto i = static_cast<std::size_t>(begin); i < c.t.size() && c.t[i] <= t + window; ++i) {
    lower(low, c.v[i]);
    raise(high, c.v[i]);
  }
  return larger(0, larger(low - value, value - high));
}

// The distance of a point from segment i in the plane of time and value.
double segment_distance(const curve& c, std::size_t i, double t, double value) {
  const double along_t = c.t[i + 1] - c.t[i];
  const double along_v = c.v[i + 1] - c.v[i];
  const double share =
      ((t - c.t[i]) * along_t + (value - c.v[i]) * along_v) / (along_t * along_t + along_v * along_v);
  const double at = std::clamp(share, 0.0, 1.0);
  return std::hypot(t - c.t[i] - at * along_t, value - c.v[i] - at * along_v);
}

// The distance of a point from the curve, searched outwards from its time; `most` is its vertical distance. What follows
// the curve's end is unknown and may come as near as the end is, so that a front that the end cuts off is no error.
double plane_distance(const curve& c, double t, double value, double most) {
  double least = smaller(most, c.t.back() - t);
  const std::size_t middle = segment_at(c, t);
  for (std::size_t i = middle; i + 1 < c.t.size() && c.t[i] - t <= least; ++i)
    lower(least, segment_distance(c, i, t, value));
  for (std::size_t i = middle; i-- > 0 && t - c.t[i + 1] <= least;)
    lower(least, segment_distance(c, i, t, value));
  return least;
}

// The largest distance of the points of `from` from the other curve.
double farthest(const curve& from, const curve& to) {
  double most = 0;
  for (std::size_t n = 0; n < from.t.size(); ++n) {
    const double t = from.t[n];
    if (t < to.t.front() || t > to.t.back()) continue;
    const double vertical = std::abs(from.v[n] - linear(to, t));
    if (vertical > most) raise(most, plane_distance(to, t, from.v[n], vertical));
  }
  return most;
}

std::vector<double> activations(const curve& c, double threshold, double rest) {
  std::vector<double> times;
  bool has_rested = c.v.front() < threshold;
  for (std::size_t i = 0; i + 1 < c.t.size(); ++i) {
    has_rested = has_rested || c.v[i] < rest;
    if (!has_rested || c.v[i] >= threshold || c.v[i + 1] < threshold) continue;
    times.push_back(c.t[i] + (threshold - c.v[i]) / (c.v[i + 1] - c.v[i]) * (c.t[i + 1] - c.t[i]));
    has_rested = false;
  }
  return times;
}

}  // namespace

double rrms(const curve& answer, const curve& reference, double spacing) {
  if (!are_usable(answer, reference, {spacing}) || !(spacing > 0)) return not_a_number;
  cubic_spline of_answer(answer);
  cubic_spline of_reference(reference);
  // Allows for rounding of times that are multiples of the spacing.
  const double slack = 1e-9;
  const auto first =
      static_cast<long>(std::ceil(larger(answer.t.front(), reference.t.front()) / spacing - slack));
  const auto last =
      static_cast<long>(std::floor(smaller(answer.t.back(), reference.t.back()) / spacing + slack));
  double distance = 0;
  double size = 0;
  for (long n = first; n <= last; ++n) {
    const double t = static_cast<double>(n) * spacing;
    const double v = of_answer(t);
    distance += std::pow(of_reference(t) - v, 2);
    size += v * v;
  }
  return std::sqrt(distance / size);
}

interpolated_error interpolation_error(const curve& answer, const curve& reference, double window) {
  if (!are_usable(answer, reference, {window}))
    return {not_a_number, not_a_number, not_a_number, not_a_number};
  interpolated_error e;
  for (std::size_t n = 0; n < answer.t.size(); ++n) {
    const double t = answer.t[n];
    const double v = answer.v[n];
    const double vertical = std::abs(v - linear(reference, t));
    // Neither distance can exceed the vertical one, so a small one cannot raise the maxima.
    if (vertical <= smaller(e.absolute, e.peak_safe)) continue;
    const double nearer = smaller(vertical, horizontal(reference, t, v, vertical));
    raise(e.absolute, nearer);
    const bool is_reached = value_distance(reference, t, v, window) == 0;
    raise(e.peak_safe, is_reached ? nearer : smaller(nearer, value_distance(reference, t, v, window)));
  }
  const double scale = largest_magnitude(answer.v);
  e.relative = e.absolute / scale;
  e.peak_safe_relative = e.peak_safe / scale;
  return e;
}

double curve_distance(const curve& answer, const curve& reference) {
  if (!are_usable(answer, reference, {})) return not_a_number;
  return larger(farthest(answer, reference), farthest(reference, answer));
}

double activation_shift(const curve& answer, const curve& reference, double threshold, double rest) {
  if (!are_usable(answer, reference, {threshold, rest})) return not_a_number;
  const std::vector<double> mine = activations(answer, threshold, rest);
  const std::vector<double> theirs = activations(reference, threshold, rest);
  if (mine.size() != theirs.size()) return not_a_number;
  double most = 0;
  for (std::size_t n = 0; n < mine.size(); ++n) raise(most, std::abs(mine[n] - theirs[n]));
  return most;
}

}  // namespace reprise::checkers
