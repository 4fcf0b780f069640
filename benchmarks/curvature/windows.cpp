// SPDX-License-Identifier: MIT
// Judges parts of a timed run.
#include "benchmarks/curvature/windows.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

#include "benchmarks/harness/timed_work.hpp"
#include "verification/curvature/check.hpp"
#include "verification/curvature/trajectory.hpp"
#include "verification/curvature/whole_run.hpp"

namespace reprise::harness::curvature_cases {
namespace {

namespace check = verification::curvature;

struct interval {
  double begin{};
  double end{};
};

constexpr double affordable_seconds = 1;
// After more attempts rounding at the limit of stability may have changed a decision.
constexpr long most_attempts = 12;

// As many attempts of so many evaluations in each of a few windows as the reference can afford. Two show every fault of
// an attempt of Merson's method. Those of a stabilised method are longer, and one is enough.
long longest_window(const curvature::problem& p, double evaluations, curvature::integrator method) {
  constexpr double windows = 4;
  const double affordable = affordable_seconds / windows / check::reference_seconds(p, evaluations);
  return std::clamp(static_cast<long>(affordable), method == curvature::integrator::merson ? 2L : 1L,
                    most_attempts);
}

// Windows behind each other where the reference can afford the whole run, else a few.
std::vector<window> windows_within(const curvature::problem& p, const curvature::merson& last,
                                   curvature::integrator method, std::string_view seed) {
  const long attempts = static_cast<long>(last.accepted + last.rejected);
  const auto evaluations = static_cast<double>(last.evaluations);
  if (check::reference_seconds(p, evaluations) > affordable_seconds)
    return windows_of(attempts, longest_window(p, evaluations / static_cast<double>(attempts), method), seed);
  std::vector<window> all;
  for (long begin = 0; begin < attempts; begin += most_attempts)
    all.push_back({begin, std::min(most_attempts, attempts - begin)});
  return all;
}

std::vector<interval> intervals_of(const curvature::problem& p, const std::vector<double>& times,
                                   const curvature::merson& last, curvature::integrator method,
                                   std::string_view seed) {
  const long attempts = static_cast<long>(last.accepted + last.rejected);
  const double length = times.back() / static_cast<double>(attempts);
  std::vector<interval> all;
  for (const window& w : windows_within(p, last, method, seed))
    all.push_back({static_cast<double>(w.begin) * length,
                   w.end() == attempts ? times.back() : static_cast<double>(w.end()) * length});
  return all;
}

}  // namespace

std::vector<checkers::finding> judge_windows(curvature::solver& s, const curvature::problem& p,
                                             const curvature::control& given,
                                             const std::vector<double>& times, const curvature::merson& last,
                                             precision arithmetic, std::string_view seed) {
  const std::vector<interval> intervals = intervals_of(p, times, last, s.method(), seed);
  std::set<double> edges;
  for (const interval& w : intervals) edges.insert({w.begin, w.end});
  std::set<double> stops = edges;
  stops.insert(times.begin(), times.end());

  s.reset(given);
  std::map<double, check::moment> at;
  for (const double stop : stops) {
    const curvature::merson state = s.advance(stop);
    const std::string failure = check::failure_of(state);
    if (!failure.empty()) throw std::runtime_error(failure);
    if (edges.contains(stop)) at[stop] = {state, s.surface()};
  }
  std::vector<checkers::finding> all;
  for (const interval& w : intervals) {
    const std::vector<double> within(stops.upper_bound(w.begin), stops.upper_bound(w.end));
    checkers::append(all, check::judge_stretch(p, given, at[w.begin], within, at[w.end], arithmetic,
                                               check::timed_metrics, s.method()));
  }
  return checkers::worst_of_each(all);
}

}  // namespace reprise::harness::curvature_cases
