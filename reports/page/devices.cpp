// SPDX-License-Identifier: MIT
// Gathers what the runs tell about each device.
#include "reports/page/devices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "reports/page/efficiency.hpp"
#include "reports/page/run_boards.hpp"
#include "reports/store/devices.hpp"
#include "reports/store/files.hpp"

namespace reprise::reports {
namespace {

constexpr std::string_view time_prefix = "time_", energy_prefix = "energy_";

std::string way_of(const std::string& id) {
  return id.substr(0, id.find(':'));
}

// The numbers of one case that tell how near it comes to the roofs.
struct measured_case {
  std::vector<const shown_row*> times;
  const shown_row* time{};  // the one that counts
  const row* memory{};
  const row* arithmetic{};
  const row* energy{};

  double nearest() const {
    return std::fmax(memory != nullptr ? memory->value : no_value,
                     arithmetic != nullptr ? arithmetic->value : no_value);
  }
  // Whether it is the time of the work that the energy was measured of.
  bool shares_work(const shown_row& of) const {
    return energy != nullptr &&
           of.data->metric.substr(time_prefix.size()) == energy->metric.substr(energy_prefix.size());
  }
};

void take(measured_case& to, const shown_row& r) {
  const auto& metric = r.data->metric;
  if (metric == "share_of_copy_roof") to.memory = r.data;
  if (metric == "share_of_flops_roof") to.arithmetic = r.data;
  if (metric.starts_with(energy_prefix) && to.energy == nullptr) to.energy = r.data;
  if (metric.starts_with(time_prefix)) to.times.push_back(&r);
}

// The time of the work that the energy was measured of, or else the case's first one.
void choose_time(measured_case& c) {
  const auto shared = std::ranges::find_if(c.times, [&](const auto* r) { return c.shares_work(*r); });
  c.time = shared != c.times.end() ? *shared : c.times.empty() ? nullptr : c.times.front();
}

// The case of each variant and precision that comes nearest to a roof of the device.
std::vector<measured_case> nearest_cases(std::span<const shown_row> rows) {
  std::unordered_map<case_id, measured_case> cases;  // of one run, whose rows are neighbours
  std::map<std::tuple<std::string, std::string>, measured_case> best;
  const auto choose = [&] {
    for (auto& [id, c] : cases) {
      choose_time(c);
      if (c.time == nullptr || std::isnan(c.nearest())) continue;
      auto& held = best[{id.variant, id.precision}];
      const auto merit = [](const measured_case& m) {
        return std::tuple(m.nearest(), m.energy != nullptr, case_text(*m.time->data));
      };
      if (held.time == nullptr || merit(held) < merit(c)) held = c;
    }
    cases.clear();
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i > 0 && rows[i].run_rank != rows[i - 1].run_rank) choose();
    if (has_value(rows[i])) take(cases[*rows[i].data], rows[i]);
  }
  choose();
  std::vector<measured_case> chosen;
  for (auto& [key, c] : best) chosen.push_back(c);
  return chosen;
}

cell number_in(const row* r, const std::string& unit) {
  cell c{no_number};
  if (r == nullptr) return c;
  return {"", r->value, r->unit == unit ? "" : r->unit, r};
}

// "163842 cells", and "400" for a line of 400 nodes.
std::string size_in_words(std::string_view size) {
  if (size.ends_with("x1")) return std::string(size.substr(0, size.size() - 2));
  const bool is_count = !size.empty() && size.find_first_not_of("0123456789") == std::string_view::npos;
  return std::string(size) + (is_count ? " cells" : "");
}

std::string nearer_roof(const measured_case& c) {
  const bool is_memory =
      c.memory != nullptr && (c.arithmetic == nullptr || c.memory->value >= c.arithmetic->value);
  return is_memory ? "memory" : "arithmetic";
}

table nearest_table(const std::string& owner, const std::string& name,
                    const std::vector<measured_case>& cases) {
  table t{
      .id = owner + "/nearest",
      .title = "What binds on " + name,
      .note =
          "The case of each variant that comes nearest to a roof, as a share of what the device reached "
          "in the same run in tests that only copy, or only multiply and add. Far from both roofs, launches, "
          "latency or the host limit the code. "
          "More than 100 % of copying was served by a cache. Energy is the whole board's or package's; "
          "power is energy "
          "over time."};
  t.columns = {"paper",          "variant",           "case",       "nearer roof", "time (s)",
               "of copying (%)", "of arithmetic (%)", "energy (J)", "power (W)"};
  t.text_columns = 4;
  for (const auto& c : cases) {
    const auto& r = *c.time->data;
    std::string what = fmt::format("{}, {}", size_in_words(r.size), r.precision.str());
    if (!r.parameter.empty()) what += ", " + r.parameter;
    auto& line = t.lines.emplace_back();
    line.push_back({std::string(family_of(r.variant))});
    line.push_back({.text = c.time->variant, .id = std::string(short_name(r.variant))});
    line.push_back({what});
    line.push_back({nearer_roof(c)});
    line.push_back(number_in(&r, "s"));
    line.push_back(number_in(c.memory, "%"));
    line.push_back(number_in(c.arithmetic, "%"));
    line.push_back(number_in(c.energy, "J"));
    line.push_back({no_number});
    if (c.shares_work(*c.time) && r.value > 0) line.back() = {"", c.energy->value / r.value, "", c.energy};
  }
  return t;
}

std::vector<device_roof> roofs_of(std::size_t place, const run_boards& boards, std::span<const run> runs) {
  std::map<std::tuple<std::string, std::string, std::string, std::string>, std::vector<double>> found;
  for (std::size_t i = 0; i < runs.size(); ++i)
    for (const auto& r : entry_of(*runs[i].description, "roofs")) {
      const auto& value = entry_of(r, "value");
      const auto id = text_of(r, "device");
      if (!value.is_number() || boards.find(i, id) != place) continue;
      found[{way_of(id), text_of(r, "precision"), text_of(r, "roof"), text_of(r, "unit")}].push_back(value);
    }
  std::vector<device_roof> roofs;
  for (auto& [key, values] : found) {
    std::ranges::sort(values);
    const auto& [way, precision, name, unit] = key;
    roofs.push_back({way, precision, name, unit, values.front(), values[values.size() / 2], values.back(),
                     values.size()});
  }
  return roofs;
}

// Adds what the run tells about those of its devices that belong to the summary's board.
template <class Belongs>
void add_descriptions(device_summary& to, const run& from, Belongs belongs) {
  bool is_used = false;
  for (const auto& described : entry_of(*from.description, "devices")) {
    if (!belongs(text_of(described, "id"))) continue;
    is_used = true;
    if (std::ranges::none_of(to.descriptions, [&](const document& d) { return *d == described; }))
      to.descriptions.emplace_back(described);
  }
  if (is_used) to.runs.push_back(name_of(from));
}

}  // namespace

std::vector<device_summary> summarise_devices(std::span<const shown_row> rows, std::span<const run> runs) {
  const run_boards boards(runs);
  std::vector<std::vector<shown_row>> of_board(boards.names().size());
  for (const auto& r : rows)
    if (const auto place = boards.find(r.run_rank, r.data->device); !r.published && place)
      of_board[*place].push_back(r);
  std::vector<device_summary> all;
  for (std::size_t place = 0; place < of_board.size(); ++place) {
    auto& d = all.emplace_back();
    d.name = boards.names()[place];
    const auto stem = fmt::format("device_{}", place + 1);
    d.page = stem + ".html";
    for (std::size_t i = 0; i < runs.size(); ++i)
      add_descriptions(d, runs[i], [&](const std::string& id) { return boards.find(i, id) == place; });
    d.roofs = roofs_of(place, boards, runs);
    d.nearest = nearest_table(stem, d.name, nearest_cases(of_board[place]));
    d.roofline = make_device_roofline(stem, of_board[place], runs);
  }
  return all;
}

}  // namespace reprise::reports
