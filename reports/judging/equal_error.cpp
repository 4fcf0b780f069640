// SPDX-License-Identifier: MIT
// Interpolates between the work-precision points that no other point dominates.
#include "reports/judging/equal_error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace reprise::reports {
namespace {

bool is_usable(const work_point& p) {
  return std::isfinite(p.error) && std::isfinite(p.seconds) && p.error > 0 && p.seconds > 0;
}

// The points that no other dominates, by decreasing error and increasing time.
std::vector<work_point> front_of(std::vector<work_point> points) {
  std::erase_if(points, [](const work_point& p) { return !is_usable(p); });
  std::ranges::sort(points, [](const work_point& a, const work_point& b) {
    return a.seconds != b.seconds ? a.seconds < b.seconds : a.error < b.error;
  });
  std::vector<work_point> front;
  for (const auto& p : points) {
    if (front.empty() || p.error < front.back().error) front.push_back(p);
  }
  return front;
}

double between(const work_point& a, const work_point& b, double error) {
  const double share = std::log(error / a.error) / std::log(b.error / a.error);
  return a.seconds * std::pow(b.seconds / a.seconds, share);
}

}  // namespace

reading time_at_error(std::vector<work_point> points, double error) {
  const auto front = front_of(std::move(points));
  if (front.size() < 2) return {no_value, "fewer than two points of error and time were measured"};
  // Accepts errors at the very end of the range, whatever their digits were rounded to.
  constexpr double slack = 1 + 1e-9;
  if (!(error <= front.front().error * slack && error >= front.back().error / slack)) {
    return {no_value, fmt::format("an error of {:.3g} lies outside the measured ones, {:.3g} to {:.3g}, and "
                                  "beyond these nothing is read off",
                                  error, front.back().error, front.front().error)};
  }
  auto after = std::ranges::find_if(front, [&](const work_point& p) { return p.error < error; });
  if (after == front.begin()) ++after;
  if (after == front.end()) --after;
  const auto before = std::prev(after);
  return {between(*before, *after, error),
          fmt::format("between the measured errors {:.3g} and {:.3g}", after->error, before->error)};
}

reading time_within_error(std::vector<work_point> points, double error) {
  const auto front = front_of(points);
  if (front.size() >= 2 && error > front.front().error) {
    return {front.front().seconds,
            fmt::format("the longest stable step already has an error of {:.3g}", front.front().error)};
  }
  return time_at_error(std::move(points), error);
}

}  // namespace reprise::reports
