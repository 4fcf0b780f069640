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

// Without Rush-Larsen it is another method.
std::string method_of(const row& r) {
  const parameters all(r.parameter.str());
  return all.text_of("method") + (all.text_of("gates") == "plain" ? ", without Rush-Larsen" : "");
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

std::vector<solve> by_time(const panel_of_board& panel) {
  std::vector<solve> sorted;
  for (const auto& [setting, one] : panel.by_setting) sorted.push_back(one);
  std::ranges::stable_sort(sorted, {}, [](const solve& s) { return std::pair(s.time->value, s.error); });
  return sorted;
}

// From the fastest solve on, each that errs by less than all faster ones.
std::vector<solve> front_of(const std::vector<solve>& sorted) {
  std::vector<solve> front;
  for (const auto& s : sorted)
    if (front.empty() || s.error < front.back().error) front.push_back(s);
  return front;
}

std::vector<std::string> methods_of(const std::vector<solve>& solves) {
  std::vector<std::string> methods;
  for (const auto& s : solves)
    if (auto m = method_of(*s.time); std::ranges::find(methods, m) == methods.end()) methods.push_back(m);
  return methods;
}

// "euler, bogacki shampine"
std::string in_words(const std::vector<std::string>& methods) {
  auto text = fmt::format("{}", fmt::join(methods, ", "));
  std::ranges::replace(text, '_', ' ');
  return text;
}

point point_of(const solve& s) {
  return {.x = s.time->value, .y = s.error};
}

void add_series(figure& to, const std::string& panel, const std::string& board, series s) {
  s.device = board;
  s.panel = panel;
  s.label = fmt::format("{}, {}", panel, s.colour);
  to.lines.push_back(std::move(s));
}

void add_panel(figure& to, const std::string& panel, const std::string& board,
               const std::vector<solve>& solves) {
  const auto front = front_of(solves);
  series line{.colour = "Pareto front", .is_roof = true};
  for (const auto& s : front) line.points.push_back(point_of(s));
  add_series(to, panel, board, std::move(line));
  for (const auto& method : methods_of(solves)) {
    series points{.colour = method};
    for (const auto& s : solves)
      if (method_of(*s.time) == method) points.points.push_back(point_of(s));
    add_series(to, panel, board, std::move(points));
  }
  to.note += fmt::format(" On the front of {}: {}.", panel, in_words(methods_of(front)));
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
           .log_y = true,
           .is_scatter = true};
  for (const auto& [key, panel] : fastest_of(rows, boards)) {
    const auto solves = by_time(panel);
    const auto& board = boards.names()[key.first];
    if (methods_of(solves).size() > 1) add_panel(f, fmt::format("{}, {}", board, key.second), board, solves);
  }
  if (f.lines.empty()) return std::nullopt;
  return f;
}

}  // namespace reprise::reports
