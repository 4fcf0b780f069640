// SPDX-License-Identifier: MIT
// Finds the fastest case of each size, and divides its counts by the roof that its rows name.
#include "reports/page/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_map>
#include <utility>

#include "reports/page/run_boards.hpp"
#include "reports/store/nearest_roof.hpp"

namespace reprise::reports {
namespace {

constexpr double to_giga = 1e9;
constexpr const char* no_roof = "none on this machine";
constexpr std::string_view share_prefix = "share_of_", counted_prefix = "counted_";
constexpr const char* of_two = " (of two)";

// Memory that seems faster than this multiple of what copying and reading reach outside the caches was served by them.
constexpr double caches_over_memory = 1.1;

// What a roof counts besides the operations and bytes that rows have, and its name among the roofs of run.json.
struct other_roof {
  std::string_view name, unit, recorded, counted;  // `counted` is the metric of its count
};
constexpr std::array other_roofs{
    other_roof{"shared memory", "B of shared memory", "shared_roof", "counted_shared_bytes"},
    other_roof{"functions", "functions", "functions_roof", "counted_functions"},
    other_roof{"launches", "launches", "launch_roof", "counted_launches"},
    other_roof{"grid exchange", "exchanges", "exchange_roof", "counted_exchanges"}};

// "4280.3 GB/s" as number and unit.
amount amount_in(const std::string& text) {
  const auto space = text.find(' ');
  if (space == std::string::npos) return {};
  return {std::strtod(text.c_str(), nullptr), text.substr(space + 1)};
}

// In units of one per second; an interval in microseconds is one, too. NaN for another unit.
double rate_of(const amount& reached) {
  static const std::map<std::string_view, double> factors{{"GB/s", 1e9},     {"TB/s", 1e12}, {"GFLOP/s", 1e9},
                                                          {"TFLOP/s", 1e12}, {"Gop/s", 1e9}, {"Top/s", 1e12}};
  if (reached.unit == "us") return 1e6 / reached.value;
  const auto factor = factors.find(reached.unit);
  return factor == factors.end() ? no_value : reached.value * factor->second;
}

// With all digits, if run.json has a roof of this kind that rounds to what the row says with three.
amount with_all_digits(const amount& reached, std::string_view roof, const run& from) {
  for (const auto& r : entry_of(*from.description, "roofs")) {
    const auto& value = entry_of(r, "value");
    if (text_of(r, "roof") != roof || !value.is_number()) continue;
    const amount exact{value, text_of(r, "unit")};
    const double least = reached.unit == "us" ? .005 / reached.value : .005;
    if (std::abs(rate_of(exact) / rate_of(reached) - 1) <= least) return exact;
  }
  return reached;
}

bool tells_of_roofs(const shared_text& metric) {
  return metric == "bandwidth_compulsory" || metric == "gflops" || metric.starts_with(share_prefix) ||
         metric.starts_with(counted_prefix);
}

// The rows of one case that tell how near it comes to its roofs.
struct case_rows {
  nearest_roof nearest;
  double bandwidth{no_value}, gflops{no_value};        // GB/s, GFLOP/s
  std::string above;                                   // the share that is more than 100 %
  std::string missing;                                 // why there is no share
  std::map<std::string, double, std::less<>> counted;  // by metric

  void see(const row& r) {
    if (r.metric == "bandwidth_compulsory" && r.status == "ok") bandwidth = r.value;
    if (r.metric == "gflops" && r.status == "ok") gflops = r.value;
    if (r.metric.starts_with(counted_prefix)) counted[r.metric.str()] = r.value;
    if (!r.metric.starts_with(share_prefix)) return;
    if (r.status == "skipped" && (missing.empty() || r.metric == binding_metric)) missing = r.reason;
    if (r.value > 100) above = what_is_above(r);
    nearest.see(r);
  }

  // Copying is no ceiling of work that mostly reads, or of a processor whose host has other tenants.
  static std::string what_is_above(const row& r) {
    if (r.metric == "share_of_copy_roof")
      return fmt::format("{}: {:.0f} % of copying was reached", no_roof, r.value);
    return fmt::format(
        "error: {:.0f} % of a roof: work is left out, the clock is wrong, or a count is too high", r.value);
  }
};

class limit_finder {
 public:
  limit_finder(std::span<const shown_row> rows, std::span<const run> runs)
      : rows_(rows), runs_(runs), boards_(runs) {}

  std::vector<paper_limits> find(std::span<const main_case> cases) {
    std::vector<paper_limits> all;
    for (const auto& c : cases) {
      all.push_back({c.id, work_of(c), {}});
      for (auto& sizes : fastest_on_boards(c)) add_lines(all.back(), sizes);
    }
    see_cases(all);
    for (auto& paper : all)
      for (auto& line : paper.lines) complete(line);
    return all;
  }

 private:
  using by_size = std::map<double, const shown_row*>;  // by the number of nodes
  using case_of_run = std::pair<std::size_t, case_id>;
  struct hash {
    std::size_t operator()(const case_of_run& c) const { return std::hash<case_id>()(c.second) + c.first; }
  };

  // "1000 sweeps in single precision", "solve in double precision, flow=mean_curvature"
  static std::string work_of(const main_case& c) {
    auto work = c.metrics.front().substr(c.metrics.front().find('_') + 1);
    std::ranges::replace(work, '_', ' ');
    return fmt::format("{} in {} precision{}{}", work, c.precision, c.parameter.empty() ? "" : ", ",
                       c.parameter);
  }

  std::vector<by_size> fastest_on_boards(const main_case& c) const {
    std::vector<by_size> fastest(boards_.names().size());
    for (const auto& r : rows_) {
      if (r.published || r.data->status != "ok" || !c.has_work_of(*r.data)) continue;
      const auto place = boards_.find(r.run_rank, r.data->device);
      const double nodes = nodes_of(r.data->size.str());
      if (!place || std::isnan(nodes) || family_of(r.data->variant.str()) != c.id) continue;
      const auto [held, is_new] = fastest[*place].emplace(nodes, &r);
      if (!is_new && r.data->value < held->second->data->value) held->second = &r;
    }
    return fastest;
  }

  // The smallest and the largest size, and the one nearest to the middle between them on a logarithmic axis.
  static std::vector<const shown_row*> three_of(const by_size& sizes) {
    if (sizes.size() <= 3) {
      std::vector<const shown_row*> all;
      for (const auto& [nodes, r] : sizes) all.push_back(r);
      return all;
    }
    const double middle = std::sqrt(sizes.begin()->first * sizes.rbegin()->first);
    const auto distance = [&](double nodes) { return std::fmax(nodes / middle, middle / nodes); };
    auto nearest = std::next(sizes.begin());
    for (auto it = nearest; std::next(it) != sizes.end(); ++it)
      if (distance(it->first) <= distance(nearest->first)) nearest = it;
    return {sizes.begin()->second, nearest->second, sizes.rbegin()->second};
  }

  void add_lines(paper_limits& to, const by_size& sizes) const {
    for (const auto* r : three_of(sizes))
      to.lines.push_back({.board = boards_.names()[*boards_.find(r->run_rank, r->data->device)], .time = r});
  }

  void see_cases(const std::vector<paper_limits>& all) {
    for (const auto& paper : all)
      for (const auto& line : paper.lines) cases_[{line.time->run_rank, *line.time->data}];
    for (const auto& r : rows_) {
      if (r.published) continue;
      if (!tells_of_roofs(r.data->metric)) continue;
      const auto known = cases_.find({r.run_rank, *r.data});
      if (known != cases_.end()) known->second.see(*r.data);
    }
  }

  void complete(limit_line& line) const {
    const auto& seen = cases_.at({line.time->run_rank, *line.time->data});
    const double seconds = line.time->data->value;
    line.bytes = std::round(seen.bandwidth * to_giga * seconds);
    line.operations = std::round(seen.gflops * to_giga * seconds);
    if (!(seen.nearest.percent <= 100)) {
      line.roof = why_none(seen);
      return;
    }
    line.percent = seen.nearest.percent;
    line.least_seconds = line.percent / 100 * seconds;
    line.reached = amount_in(seen.nearest.reached);
    line.roof = roof_in_words(line, seen.nearest.name);
    const auto* const other = std::ranges::find(other_roofs, seen.nearest.name, &other_roof::name);
    if (other == other_roofs.end()) return;
    line.reached = with_all_digits(line.reached, other->recorded, runs_[line.time->run_rank]);
    // Runs from before counts were rows have them in the share alone. They are whole where the roof has all digits.
    const auto counted = seen.counted.find(other->counted);
    line.other = {
        counted != seen.counted.end() ? counted->second : line.least_seconds * rate_of(line.reached),
        std::string(other->unit)};
    if (const double whole = std::round(line.other.value); std::abs(line.other.value - whole) < 1e-6 * whole)
      line.other.value = whole;
  }

  static std::string why_none(const case_rows& seen) {
    if (!seen.above.empty()) return seen.above;
    return seen.missing.empty() ? "not measured with this time"
                                : fmt::format("{}: {}", no_roof, seen.missing);
  }

  std::string roof_in_words(const limit_line& line, const std::string& name) const {
    if (name == "flops (of two)") return fmt::format("multiply-adds{}", of_two);
    const bool is_copy = name == "copy (of two)";
    if (!is_copy && name != "memory") return name;
    const double outside = memory_rate(*line.time);
    const bool is_of_caches = rate_of(line.reached) > caches_over_memory * outside;
    const char* const from = std::isnan(outside) ? "memory or caches" : is_of_caches ? "caches" : "memory";
    return fmt::format("{}{}", from, is_copy ? of_two : "");
  }

  // What copying or reading reached outside the caches, by any way to the board; NaN if it was not measured.
  double memory_rate(const shown_row& time) const {
    double fastest = no_value;
    for (const auto& r : entry_of(*runs_[time.run_rank].description, "roofs")) {
      const auto& value = entry_of(r, "value");
      const auto roof = text_of(r, "roof");
      if (!value.is_number() || (roof != "copy_roof" && roof != "read_roof")) continue;
      if (boards_.find(time.run_rank, text_of(r, "device")) != boards_.find(time.run_rank, time.data->device))
        continue;
      fastest = std::fmax(fastest, value.get<double>() * to_giga);
    }
    return fastest;
  }

  std::span<const shown_row> rows_;
  std::span<const run> runs_;
  run_boards boards_;
  std::unordered_map<case_of_run, case_rows, hash> cases_;
};

const std::vector<std::string> columns{"board",          "size",       "variant",  "roof that binds",
                                       "reached there",  "operations", "bytes",    "other count",
                                       "least time (s)", "time (s)",   "share (%)"};
constexpr std::size_t text_columns = 5;

cell number_cell(double value, const std::string& unit = "") {
  return std::isnan(value) ? cell{no_number} : cell{.value = value, .unit = unit};
}

std::vector<cell> cells_of(const limit_line& line) {
  const auto& r = *line.time->data;
  return {{line.board},
          {r.size.str()},
          {.text = line.time->variant, .id = std::string(short_name(r.variant))},
          {line.roof},
          number_cell(line.reached.value, line.reached.unit),
          number_cell(line.operations),
          number_cell(line.bytes),
          number_cell(line.other.value, line.other.unit),
          number_cell(line.least_seconds),
          {.value = r.value, .from = &r},
          number_cell(line.percent)};
}

}  // namespace

std::vector<paper_limits> limits_of(std::span<const main_case> cases, std::span<const shown_row> rows,
                                    std::span<const run> runs) {
  return limit_finder(rows, runs).find(cases);
}

table table_of(const paper_limits& of) {
  table t{.id = of.word + "/limits", .title = of.work, .columns = columns, .text_columns = text_columns};
  for (const auto& line : of.lines) t.lines.push_back(cells_of(line));
  return t;
}

table table_of(std::span<const paper_limits> all) {
  table t{.id = "all/limits",
          .title = "How near the limit",
          .columns = {"paper", "work"},
          .text_columns = 2 + text_columns};
  t.columns.insert(t.columns.end(), columns.begin(), columns.end());
  for (const auto& paper : all) {
    for (const auto& line : paper.lines) {
      auto& cells = t.lines.emplace_back(std::vector<cell>{{paper.word}, {paper.work}});
      std::ranges::move(cells_of(line), std::back_inserter(cells));
    }
    if (!paper.lines.empty()) continue;
    auto& cells = t.lines.emplace_back(t.columns.size(), cell{no_number});
    cells[0].text = paper.word;
    cells[1].text = paper.work;
    cells[2].text = "not run here";
  }
  return t;
}

}  // namespace reprise::reports
