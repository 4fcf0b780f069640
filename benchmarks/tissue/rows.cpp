// SPDX-License-Identifier: MIT
// Computes rows from the tissue paper's measured rows.
#include "benchmarks/tissue/rows.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "benchmarks/harness/derivation.hpp"
#include "benchmarks/tissue/cases.hpp"
#include "reports/judging/equal_error.hpp"
#include "reports/store/parameters.hpp"
#include "verification/checkers/maximum.hpp"

namespace reprise::harness::tissue_rows {
namespace {

using namespace tissue_cases;
using reports::row;
using tissue::method;
using tissue::model;
using tissue::problem;

// A row without the part ";dt=NUMBER" of its parameter, and the number; NaN if the part is missing.
struct step_taken {
  row like;
  double dt{};
};

step_taken take_step(row r) {
  const double dt = parameter_number("dt")(r);
  return {std::move(r), dt};
}

double step_of(const row& r) {
  const double dt = take_step(r).dt;
  return std::isnan(dt) ? real_time_dt : dt;
}

std::vector<line> along_dt(std::span<const row> rows, const std::string& metric) {
  return lines_over(parameter_number("dt"), rows, metric);
}

// Returns the uncertainty of the reference with which the errors of a line were measured; NaN if it is not known.
double uncertainty_of(std::span<const row> rows, const row& line_of) {
  for (const row& r : rows)
    if (is_right(r, "reference_uncertainty") && same_case(take_step(r).like, line_of)) return r.value;
  return checkers::not_a_number;
}

// The smallest error that rounding allows. Smaller errors say nothing about the order.
constexpr double rounding_floor = 2e-15;

// The error of each measured run and the time of the whole run with its step. `steps` holds the time of 1000
// steps; `like` holds the variant, device, model and method.
std::vector<reports::work_point> work_points(std::span<const row> rows, const row& steps, const row& like,
                                             model what) {
  std::vector<reports::work_point> points;
  for (const row& r : rows) {
    if (!is_right(r, "error_u")) continue;
    const auto [own, dt] = take_step(r);
    if (same_case(own, like)) points.push_back({r.value, end_of(what) / dt * steps.value / 1000});
  }
  return points;
}

// Section 5 compares methods at these errors, so if there is no time, a row must give the reason.
bool is_compared_in_text(int digits) {
  return digits == 2 || digits == 7;
}

using time_reading = reports::reading (*)(std::vector<reports::work_point>, double);

void add_times(std::vector<row>& all, const row& steps, const std::vector<reports::work_point>& points,
               time_reading read) {
  for (int digits = 2; digits <= 10; ++digits) {
    const auto found = read(points, std::pow(10, -digits));
    row time = derived(steps, fmt::format("time_at_1e-{}", digits), found.seconds, "s", found.reason);
    if (std::isnan(found.seconds)) {
      time.status = "skipped";
      if (is_compared_in_text(digits)) all.push_back(time);
      continue;
    }
    all.push_back(time);
    time.metric = "time_at_error";
    time.parameter += fmt::format(";error=1e-{:02}", digits);
    all.push_back(time);
  }
}

// Minima and maxima would pass over a NaN.
bool are_numbers(const std::vector<double>& values) {
  return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

// One row for each line of errors over the step.
std::vector<row> lines_of_errors(std::span<const row> rows) {
  std::vector<row> all;
  for (const line& l : along_dt(rows, "error_u"))
    if (l.x.size() >= 3) all.push_back(l.like);
  return all;
}

// The order between each step and the next shorter one, which stops rising where rounding begins to matter.
void add_local_orders(std::vector<row>& all, const row& like,
                      const std::map<double, double, std::greater<>>& error_by_step) {
  for (auto longer = error_by_step.begin(); longer != error_by_step.end(); ++longer) {
    const auto shorter = std::next(longer);
    if (shorter == error_by_step.end()) return;
    const double order =
        std::log(longer->second / shorter->second) / std::log(longer->first / shorter->first);
    all.push_back(derived(like, "local_order", order, "1", fmt::format("from steps of {:g}", longer->first)));
    all.back().parameter += fmt::format(";dt={:g}", shorter->first);
  }
}

// The value that the same case has in double precision, for a row in single precision.
std::optional<double> in_double(std::span<const row> rows, row single) {
  if (single.precision != to_string(precision::single)) return std::nullopt;
  const std::string metric = single.metric;
  single.precision = to_string(precision::double_);
  return value_by(single.variant, metric, rows, single);
}

}  // namespace

std::vector<row> ratios(std::span<const row> rows) {
  std::vector<row> all;
  for (const row& r : rows)
    if (is_right(r, steps_metric) && reports::parameters(r.parameter).text_of("model") != "fitzhugh_nagumo") {
      row ratio = derived(r, "time_ratio", r.value / (1000 * step_of(r) * 1e-3), "1",
                          "wall time over simulated time: below one is faster than real time");
      ratio.q1 = r.q1 / (1000 * step_of(r) * 1e-3);
      ratio.q3 = r.q3 / (1000 * step_of(r) * 1e-3);
      all.push_back(ratio);
    }
  return all;
}

std::vector<row> fig4_rows(std::span<const row> rows) {
  std::vector<row> all = ratios(rows);
  const std::vector<row> measured = all;
  for (const line& l : along_dt(measured, "time_ratio"))
    if (l.x.size() >= 3) all.push_back(fitted(l.like, "slope_dt", checkers::fit_order(l.x, l.y, 0)));
  for (const line& l : along_dt(rows, "launches_per_step"))
    all.push_back(derived(l.like, "launches_per_step", l.y.front(), "1", "whatever the step"));
  for (const row& slower : measured)
    for (const row& faster : measured) {
      const auto compare = [&](method slow, method fast, const std::string& metric) {
        const auto name = [](method m) { return fmt::format("model=karma;method={};dt=0.01", to_string(m)); };
        if (slower.variant != faster.variant || slower.device != faster.device ||
            slower.size != faster.size || slower.parameter != name(slow) || faster.parameter != name(fast))
          return;
        all.push_back(derived(slower, metric, slower.value / faster.value, "1", "steps of 0.01 ms"));
        all.back().parameter = "model=karma";
      };
      compare(method::heun, method::euler, "heun_over_euler");
      compare(method::runge_kutta, method::heun, "runge_kutta_over_heun");
    }
  return all;
}

std::vector<row> fig5_rows(std::span<const row> rows) {
  std::vector<row> all = ratios(rows);
  for (const line& l : lines_over(width_of_size(), all, "time_ratio")) {
    // Smaller grids alone do not show where the time begins to grow.
    constexpr double wide_enough = 512;
    if (l.x.size() < 3 || !are_numbers(l.x) || !are_numbers(l.y)) continue;
    if (*std::ranges::max_element(l.x) < wide_enough) continue;
    const double flat = *std::ranges::min_element(l.y);
    const auto largest = static_cast<std::size_t>(std::ranges::max_element(l.x) - l.x.begin());
    const double crossover = l.x[largest] * std::sqrt(flat / l.y[largest]);
    all.push_back(derived(l.like, "crossover_n", crossover, "1",
                          "the shortest time meets the parabola through the largest grid"));
    line behind;
    for (std::size_t i = 0; i < l.x.size(); ++i)
      if (l.x[i] > crossover) {
        behind.x.push_back(l.x[i]);
        behind.y.push_back(l.y[i]);
      }
    if (behind.x.size() < 2) continue;
    const auto [low, high] = std::ranges::minmax_element(behind.x);
    const double slope = std::log(behind.y[static_cast<std::size_t>(high - behind.x.begin())] /
                                  behind.y[static_cast<std::size_t>(low - behind.x.begin())]) /
                         std::log(*high / *low);
    all.push_back(
        derived(l.like, "slope_n", slope, "1", fmt::format("from {:g} to {:g} cells a side", *low, *high)));
  }
  return all;
}

std::vector<row> orders(std::span<const row> rows) {
  std::vector<row> all;
  for (const line& l : along_dt(rows, "error_u")) {
    const double floor = checkers::larger(rounding_floor, uncertainty_of(rows, l.like));
    const auto fit = checkers::fit_asymptotic_order(l.x, l.y, floor);
    row order = fitted(l.like, "order", fit);
    if (!fit.flaw.empty()) {
      order.status = "skipped";
      order.reason = fit.flaw;
    }
    all.push_back(std::move(order));
  }
  return all;
}

std::vector<row> fig6_rows(std::span<const row> rows) {
  // A method of the first order halves its error with its step.
  constexpr double still_falls = .7;
  std::vector<row> all;
  for (const line& l : along_dt(rows, "error_u")) {
    std::map<double, double> error_by_step;
    for (std::size_t n = 0; n < l.x.size(); ++n) error_by_step[l.x[n]] = l.y[n];
    if (error_by_step.size() < 2 || !are_numbers(l.y)) continue;
    const auto shortest = error_by_step.begin();
    const auto next = std::next(shortest);
    const double level = checkers::larger(shortest->second, next->second);
    const bool is_reached =
        shortest->second > still_falls * next->second && next->first <= 2 * shortest->first;
    if (!is_reached || !(level <= 50 * rounding_floor) || !(level > uncertainty_of(rows, l.like))) continue;
    all.push_back(derived(l.like, "error_floor", level, "1",
                          fmt::format("a step of {:g} has {:.2g}, one of {:g} has {:.2g}", next->first,
                                      next->second, shortest->first, shortest->second)));
  }
  return all;
}

std::vector<row> fig7_rows(std::span<const row> rows) {
  std::vector<row> all = ratios(rows);
  for (const row& order : lines_of_errors(rows))
    for (const row& r : rows) {
      if (!is_right(r, steps_metric) || r.variant != order.variant || r.device != order.device ||
          r.parameter != order.parameter)
        continue;
      for (const model what : tissue::all_models)
        for (const method how : tissue::all_methods)
          if (r.parameter.starts_with(name_of({.model = what, .method = how})))
            add_times(all, r, work_points(rows, r, order, what), reports::time_at_error);
    }
  return all;
}

std::vector<row> equal_error_rows(std::span<const row> rows) {
  std::vector<row> all;
  for (const line& l : along_dt(rows, "error_u")) {
    std::vector<reports::work_point> points;
    for (const row& r : rows) {
      if (!is_right(r, "error_u") || !same_case(take_step(r).like, l.like)) continue;
      const auto seconds = value_by(r.variant, solve_metric, rows, r);
      if (seconds) points.push_back({r.value, *seconds});
    }
    add_times(all, l.like, points, reports::time_within_error);
  }
  return all;
}

std::vector<row> precision_rows(std::span<const row> rows) {
  std::vector<row> all;
  for (const line& l : along_dt(rows, "error_u")) {
    std::map<double, double, std::greater<>> error_by_step;
    for (std::size_t n = 0; n < l.x.size(); ++n) error_by_step[l.x[n]] = l.y[n];
    add_local_orders(all, l.like, error_by_step);
    if (!are_numbers(l.y)) continue;
    const auto least = std::ranges::min_element(l.y);
    all.push_back(
        derived(l.like, "least_error", *least, "1",
                fmt::format("with steps of {:g}", l.x[static_cast<std::size_t>(least - l.y.begin())])));
  }
  for (const row& r : rows) {
    if (is_right(r, "error_u"))
      if (const auto exact = in_double(rows, r))
        all.push_back(derived(r, "error_over_double", r.value / *exact, "1", "of the same steps"));
    if (is_right(r, steps_metric))
      if (const auto exact = in_double(rows, r))
        all.push_back(derived(r, "speedup_over_double", *exact / r.value, "1", "of the same steps"));
  }
  return all;
}

std::vector<row> orders_by_smoothness(std::span<const row> rows) {
  static const std::map<std::string, int> derivatives{{"heaviside", -1}, {"linear", 0}, {"cubic", 1},
                                                      {"quintic", 2},    {"septic", 3}, {"nonic", 4}};
  std::vector<row> all;
  for (row order : orders(rows)) {
    const reports::parameters parts(order.parameter);
    const auto known = derivatives.find(parts.text_of("switch"));
    if (known == derivatives.end()) continue;
    order.parameter = fmt::format("{};derivatives={}", parts.without("switch").text(), known->second);
    all.push_back(std::move(order));
  }
  return all;
}

}  // namespace reprise::harness::tissue_rows
