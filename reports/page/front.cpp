// SPDX-License-Identifier: MIT
// Joins the time and the error of each solve, keeps the fastest of each setting, and walks along the front.
#include "reports/page/front.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "reports/page/run_boards.hpp"
#include "reports/store/parameters.hpp"

namespace reprise::reports {
namespace {

constexpr const char* time_metric = "time_solve";
constexpr const char* error_metric = "rrms";

struct solve {
  const row* time{};
  double error{no_value};
};

struct panel_of_board {
  double nodes{};
  std::map<std::string, solve> by_setting;  // by the row's parameter
};
// By the board's place and the precision.
using panels = std::map<std::pair<std::size_t, std::string>, panel_of_board>;

// "bogacki shampine"; without Rush-Larsen it is another method.
std::string method_of(const row& r) {
  const parameters all(r.parameter.str());
  auto method = all.text_of("method");
  std::ranges::replace(method, '_', ' ');
  return all.text_of("gates") == "plain" ? method + " without Rush-Larsen" : method;
}

// The solves of a run that have a method, a time and an error.
std::vector<std::pair<std::size_t, solve>> solves_in(std::span<const shown_row> rows) {
  std::unordered_map<case_id, std::pair<std::size_t, solve>> cases;  // of one run, whose rows are neighbours
  std::vector<std::pair<std::size_t, solve>> all;
  const auto take = [&] {
    for (const auto& [id, one] : cases)
      if (one.second.time != nullptr && one.second.error > 0) all.push_back(one);
    cases.clear();
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i > 0 && rows[i].run_rank != rows[i - 1].run_rank) take();
    const row& r = *rows[i].data;
    if (rows[i].published || r.status != "ok" || r.parameter.str().find("method=") == std::string::npos)
      continue;
    if (r.metric != time_metric && r.metric != error_metric) continue;
    auto& one = cases[r];
    one.first = rows[i].run_rank;
    if (r.metric == time_metric) one.second.time = &r;
    if (r.metric == error_metric) one.second.error = r.value;
  }
  take();
  return all;
}

panels fastest_of(std::span<const shown_row> rows, const run_boards& boards) {
  panels all;
  for (const auto& [run_rank, one] : solves_in(rows)) {
    const auto place = boards.find(run_rank, one.time->device);
    const double nodes = nodes_of(one.time->size.str());
    if (!place || !(nodes > 0)) continue;
    auto& panel = all[{*place, one.time->precision.str()}];
    if (nodes > panel.nodes) panel = {nodes, {}};
    if (nodes < panel.nodes) continue;
    auto& held = panel.by_setting[one.time->parameter.str()];
    const auto merit = [](const solve& s) {
      return std::tuple(s.time->value, s.error, s.time->variant.str());
    };
    if (held.time == nullptr || merit(one) < merit(held)) held = one;
  }
  return all;
}

// From the fastest solve on, each that errs by less than all faster ones.
std::vector<solve> front_of(const panel_of_board& panel) {
  std::vector<solve> sorted;
  for (const auto& [setting, one] : panel.by_setting) sorted.push_back(one);
  std::ranges::stable_sort(sorted, {}, [](const solve& s) { return std::pair(s.time->value, s.error); });
  std::vector<solve> front;
  for (const auto& s : sorted)
    if (front.empty() || s.error < front.back().error) front.push_back(s);
  return front;
}

std::string names_on(const std::vector<solve>& front) {
  std::vector<std::string> names;
  for (const auto& s : front)
    if (auto name = method_of(*s.time); std::ranges::find(names, name) == names.end()) names.push_back(name);
  return fmt::format("{}", fmt::join(names, ", "));
}

point point_of(const solve& s) {
  return {.x = s.time->value, .y = s.error};
}

void add_panel(figure& to, const std::string& name, const std::string& board, const panel_of_board& panel) {
  std::map<std::string, series> by_method;
  for (const auto& [setting, one] : panel.by_setting) {
    auto& s = by_method[method_of(*one.time)];
    s.points.push_back(point_of(one));
  }
  series front{.colour = "Pareto front"};
  for (const auto& s : front_of(panel)) front.points.push_back(point_of(s));
  for (auto& [method, s] : by_method) {
    s.colour = method;
    std::ranges::stable_sort(s.points, {}, &point::x);
  }
  by_method.emplace("Pareto front", std::move(front));
  for (auto& [method, s] : by_method) {
    s.device = board;
    s.panel = name;
    s.label = fmt::format("{}, {}", name, s.colour);
    to.lines.push_back(std::move(s));
  }
}

}  // namespace

std::optional<figure> make_front(const std::string& word, std::span<const shown_row> rows,
                                 std::span<const run> runs) {
  const run_boards boards(runs);
  figure f{.id = word + "/front",
           .title = "Error against time: every method in its fastest implementation",
           .note =
               "The RRMS of each setting of a method against the time of the solve by the variant that is "
               "fastest there, at the largest size of each board. No other method is as fast and as "
               "accurate as one on the front.",
           .x_label = "time (s)",
           .y_label = "RRMS",
           .log_x = true,
           .log_y = true};
  for (const auto& [key, panel] : fastest_of(rows, boards)) {
    const auto& board = boards.names()[key.first];
    const auto name = fmt::format("{}, {}", board, key.second);
    add_panel(f, name, board, panel);
    f.note += fmt::format(" On the front of {}: {}.", name, names_on(front_of(panel)));
  }
  if (f.lines.empty()) return std::nullopt;
  return f;
}

}  // namespace reprise::reports
