// SPDX-License-Identifier: MIT
// What is computed from the tissue paper's rows.
#include "benchmarks/tissue_rows.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "benchmarks/harness/experiment.hpp"
#include "benchmarks/tissue_cases.hpp"
#include "reports/equal_error.hpp"
#include "verification/checkers/order_fit.hpp"

namespace reprise::harness::tissue_rows {
namespace {

using namespace tissue_cases;
using reports::row;
using tissue::method;
using tissue::model;
using tissue::problem;

bool is_right(const row& r, const std::string& metric) {
  return r.metric == metric && r.status == "ok";
}

// A row's parameter without its part "name=...", and that part's number.
std::pair<std::string, double> split(const std::string& parameter, const std::string& name) {
  const std::size_t at = parameter.find(";" + name + "=");
  if (at == std::string::npos) return {parameter, reports::no_value};
  const std::size_t end = parameter.find(';', at + 1);
  const std::string value = parameter.substr(at + name.size() + 2, end - at - name.size() - 2);
  return {parameter.substr(0, at) + (end == std::string::npos ? "" : parameter.substr(end)),
          std::stod(value)};
}

double step_of(const row& r) {
  const double dt = split(r.parameter, "dt").second;
  return std::isnan(dt) ? real_time_dt : dt;
}

using series_key = std::tuple<std::string, std::string, std::string, std::string>;

// Points of one variant on one device: what changes along the line is left out of the key.
struct line {
  row first;
  std::vector<double> x, y;
};

template <class Place>
std::map<series_key, line> lines_of(std::span<const row> rows, const std::string& metric, Place place) {
  std::map<series_key, line> all;
  for (const row& r : rows) {
    if (!is_right(r, metric)) continue;
    const auto [size, parameter, x] = place(r);
    line& l = all[{r.variant, r.device, size, parameter}];
    if (l.x.empty()) {
      l.first = r;
      l.first.size = size;
      l.first.parameter = parameter;
    }
    l.x.push_back(x);
    l.y.push_back(r.value);
  }
  return all;
}

std::tuple<std::string, std::string, double> along_dt(const row& r) {
  const auto [parameter, dt] = split(r.parameter, "dt");
  return {r.size, parameter, dt};
}

std::tuple<std::string, std::string, double> along_width(const row& r) {
  return {"", r.parameter, parse_size(r.size).width};
}

row fitted(const row& like, const std::string& metric, const checkers::fitted_order& fit) {
  row r = derived(like, metric, fit.order, "1", fmt::format("least squares through {} points", fit.points));
  r.q1 = fit.low;
  r.q3 = fit.high;
  r.samples = fit.points;
  return r;
}

double uncertainty_of(std::span<const row> rows, const row& line_of) {
  for (const row& r : rows)
    if (is_right(r, "reference_uncertainty") && r.variant == line_of.variant && r.device == line_of.device &&
        r.size == line_of.size && split(r.parameter, "dt").first == line_of.parameter)
      return r.value;
  return 0;
}

// What rounding leaves of an error at best, and with it what says nothing of an order.
constexpr double rounding_floor = 2e-15;

// The time of a whole run with each step whose error was measured. `steps` has the time of a step, `like` the
// variant, device, model and method.
std::vector<reports::work_point> work_points(std::span<const row> rows, const row& steps, const row& like,
                                             model what) {
  std::vector<reports::work_point> points;
  for (const row& r : rows) {
    if (!is_right(r, "error_u") || r.variant != like.variant || r.device != like.device ||
        r.size != like.size)
      continue;
    const auto [parameter, dt] = split(r.parameter, "dt");
    if (parameter == like.parameter) points.push_back({r.value, end_of(what) / dt * steps.value / 1000});
  }
  return points;
}

// Section 5 compares methods at these errors, so that a refusal there needs its reason in the rows.
bool is_compared_in_text(int digits) {
  return digits == 2 || digits == 7;
}

void add_times(std::vector<row>& all, const row& steps, const std::vector<reports::work_point>& points) {
  for (int digits = 2; digits <= 10; ++digits) {
    const auto found = reports::time_at_error(points, std::pow(10, -digits));
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

}  // namespace

std::vector<row> ratios(std::span<const row> rows) {
  std::vector<row> all;
  for (const row& r : rows)
    if (is_right(r, steps_metric) && r.parameter.find("fitzhugh_nagumo") == std::string::npos) {
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
  for (const auto& [key, l] : lines_of(measured, "time_ratio", along_dt))
    if (l.x.size() >= 3) all.push_back(fitted(l.first, "slope_dt", checkers::fit_order(l.x, l.y, 0)));
  for (const auto& [key, l] : lines_of(rows, "launches_per_step", along_dt))
    all.push_back(derived(l.first, "launches_per_step", l.y.front(), "1", "whatever the step"));
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
  for (const auto& [key, l] : lines_of(all, "time_ratio", along_width)) {
    // Smaller grids alone do not show where time begins to grow.
    constexpr double wide_enough = 512;
    if (l.x.size() < 3 || *std::max_element(l.x.begin(), l.x.end()) < wide_enough) continue;
    const double flat = *std::min_element(l.y.begin(), l.y.end());
    const auto largest = static_cast<std::size_t>(std::max_element(l.x.begin(), l.x.end()) - l.x.begin());
    const double crossover = l.x[largest] * std::sqrt(flat / l.y[largest]);
    all.push_back(derived(l.first, "crossover_n", crossover, "1",
                          "the shortest time meets the parabola through the largest grid"));
    line behind;
    for (std::size_t i = 0; i < l.x.size(); ++i)
      if (l.x[i] > crossover) {
        behind.x.push_back(l.x[i]);
        behind.y.push_back(l.y[i]);
      }
    if (behind.x.size() < 2) continue;
    const auto [low, high] = std::minmax_element(behind.x.begin(), behind.x.end());
    const double slope = std::log(behind.y[static_cast<std::size_t>(high - behind.x.begin())] /
                                  behind.y[static_cast<std::size_t>(low - behind.x.begin())]) /
                         std::log(*high / *low);
    all.push_back(
        derived(l.first, "slope_n", slope, "1", fmt::format("from {:g} to {:g} cells a side", *low, *high)));
  }
  return all;
}

std::vector<row> orders(std::span<const row> rows) {
  std::vector<row> all;
  for (const auto& [key, l] : lines_of(rows, "error_u", along_dt)) {
    const double floor = std::max(rounding_floor, uncertainty_of(rows, l.first));
    const auto fit = checkers::fit_order(l.x, l.y, floor);
    if (!std::isnan(fit.order)) all.push_back(fitted(l.first, "order", fit));
  }
  return all;
}

std::vector<row> fig6_rows(std::span<const row> rows) {
  std::vector<row> all;
  for (const auto& [key, l] : lines_of(rows, "error_u", along_dt)) {
    const auto shortest = static_cast<std::size_t>(std::min_element(l.x.begin(), l.x.end()) - l.x.begin());
    const double least = *std::min_element(l.y.begin(), l.y.end());
    if (least > 50 * rounding_floor || least < uncertainty_of(rows, l.first) / 4) continue;
    all.push_back(derived(l.first, "error_floor", least, "1",
                          fmt::format("the least error, the shortest step's is {:.2g}", l.y[shortest])));
  }
  return all;
}

std::vector<row> fig7_rows(std::span<const row> rows) {
  std::vector<row> all = ratios(rows);
  for (const row& order : orders(rows))
    for (const row& r : rows) {
      if (!is_right(r, steps_metric) || r.variant != order.variant || r.device != order.device ||
          r.parameter != order.parameter)
        continue;
      for (const model what : tissue::all_models)
        for (const method how : tissue::all_methods)
          if (r.parameter.starts_with(name_of({.what = what, .how = how})))
            add_times(all, r, work_points(rows, r, order, what));
    }
  return all;
}

}  // namespace reprise::harness::tissue_rows
