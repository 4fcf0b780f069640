// SPDX-License-Identifier: MIT
// Computes rows from rows.
#include "benchmarks/harness/derivation.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <unordered_map>

#include "reports/store/left_out.hpp"
#include "reports/store/parameters.hpp"

namespace reprise::harness {

using reports::row;

std::vector<row> derived_beside_disturbed(const std::function<std::vector<row>(std::span<const row>)>& derive,
                                          std::span<const row> rows) {
  std::vector<row> sure = derive(rows);
  const auto is_disturbed = [](const row& r) { return r.status == "disturbed"; };
  if (std::ranges::none_of(rows, is_disturbed)) return sure;
  std::vector<row> if_right(rows.begin(), rows.end());
  for (row& r : if_right)
    if (is_disturbed(r)) r.status = "ok";
  std::unordered_map<reports::number_id, row*> known;
  for (row& r : sure) known.emplace(r, &r);
  std::vector<row> more;
  for (row& r : derive(if_right)) {
    const auto found = known.find(r);
    if (r.status != "ok" || (found != known.end() && found->second->value == r.value)) continue;
    reports::mark_disturbed(r, "derived from a disturbed time");
    if (found == known.end())
      more.push_back(std::move(r));
    else
      *found->second = std::move(r);
  }
  sure.insert(sure.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  return sure;
}

bool is_right(const row& r, const std::string& metric) {
  return r.metric == metric && r.status == "ok";
}

std::optional<double> value_by(const std::string& variant, const std::string& metric,
                               std::span<const row> rows, const row& other) {
  for (const row& r : rows)
    if (is_right(r, metric) && r.variant == variant && r.precision == other.precision &&
        r.size == other.size && r.parameter == other.parameter)
      return r.value;
  return {};
}

row derived(row from, const std::string& metric, double value, const std::string& unit,
            const std::string& reason) {
  from.metric = metric;
  from.value = value;
  from.unit = unit;
  from.q1 = from.q3 = reports::no_value;
  from.samples = 0;
  from.reason = reason;
  return from;
}

void add(const speedup& s, std::vector<row>& all, std::span<const row> rows, const row& time) {
  const auto slow = value_by(s.over, time.metric, rows, time);
  if (slow && time.variant != s.over)
    all.push_back(derived(time, s.metric, *slow / time.value, "1", s.reason));
}

row fitted(const row& from, const std::string& metric, const checkers::fitted_order& fit) {
  row r = derived(from, metric, fit.order, "1", fmt::format("least squares through {} points", fit.points));
  r.q1 = fit.low;
  r.q3 = fit.high;
  r.samples = fit.points;
  return r;
}

taken_number parameter_number(const std::string& name) {
  return [name](row& r) {
    const reports::parameters all(r.parameter);
    r.parameter = all.without(name).text();
    return all.number(name);
  };
}

taken_number width_of_size() {
  return [](row& r) {
    const double width = reports::width_of(r.size);
    r.size.clear();
    return width;
  };
}

std::vector<line> lines_over(const taken_number& take, std::span<const row> rows, const std::string& metric) {
  std::map<reports::case_id, line> all;
  for (const row& r : rows) {
    if (!is_right(r, metric)) continue;
    row like = r;
    const double x = take(like);
    if (std::isnan(x)) continue;
    line& l = all[like];
    l.x.push_back(x);
    l.y.push_back(r.value);
    l.like = std::move(like);
    l.last = r;
  }
  std::vector<line> lines;
  for (auto& [of, l] : all) lines.push_back(std::move(l));
  return lines;
}

}  // namespace reprise::harness
