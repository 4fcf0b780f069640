// SPDX-License-Identifier: MIT
// Makes tables with one column for each device: absolute numbers, shares of the
// device's own roofs, and per joule.
#include "reports/compare/tables.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "reports/store/devices.hpp"
#include "reports/store/glob.hpp"
#include "reports/store/nearest_roof.hpp"

namespace reprise::reports {
namespace {

constexpr auto roofs_id = "harness/roofs";

bool has_number(const row& r) {
  return r.status == "ok" && std::isfinite(r.value) && !r.device.empty();
}

std::vector<board> boards_of(const compared& c) {
  std::vector<std::tuple<std::size_t, std::string, std::string>> devices;  // rank, id, name
  for (const auto& r : c.runs) {
    std::set<std::string> known;
    for (const auto& one : r.rows) {
      if (!has_number(one) || one.experiment == roofs_id || !known.insert(one.device).second) continue;
      devices.emplace_back(device_rank(r, one.device), one.device, device_name(r, one.device));
    }
  }
  std::ranges::sort(devices);
  std::vector<board> boards;
  for (const auto& [rank, id, name] : devices) add_device(boards, id, name);
  return boards;
}

// The rows with numbers of each experiment.
using rows_by_experiment = std::unordered_map<shared_text, std::vector<const row*>>;

rows_by_experiment numbers_of(const run& from) {
  rows_by_experiment rows;
  for (const auto& r : from.rows) {
    if (has_number(r)) rows[r.experiment].push_back(&r);
  }
  return rows;
}

// The rows of a table or figure; of a printed one also those that the paper published elsewhere.
std::vector<const row*> rows_of(const layout& shape, const rows_by_experiment& rows, bool is_printed) {
  std::vector<const row*> chosen;
  const std::set<shared_text> metrics(shape.metrics.begin(), shape.metrics.end());
  std::vector<std::string> sources{shape.id};
  if (is_printed && !shape.published_in.empty() && shape.published_in != shape.id)
    sources.push_back(shape.published_in);
  for (const auto& source : sources) {
    const auto found = rows.find(source);
    if (found == rows.end()) continue;
    for (const auto* r : found->second)
      if (metrics.contains(r->metric)) chosen.push_back(r);
  }
  return chosen;
}

// What a run measured for a case besides its time.
struct case_rates {
  nearest_roof nearest;
  double joules{no_value};
};

using rates_by_case = std::unordered_map<case_id, case_rates>;

rates_by_case rates_of(const run& r) {
  rates_by_case rates;
  for (const auto& one : r.rows) {
    if (!has_number(one)) continue;
    if (one.metric.starts_with("share_of_")) rates[one].nearest.see(one);
    if (one.metric.starts_with("energy_")) rates[one].joules = one.value;
  }
  return rates;
}

compared_cell cell_of(const row& r, const rates_by_case& rates) {
  compared_cell c;
  c.value = r.value;
  const auto found = rates.find(r);
  if (found == rates.end() || r.unit != "s" || !r.metric.starts_with("time_")) return c;
  const auto& [nearest, joules] = found->second;
  c.share = nearest.percent;
  c.roof = nearest.name;
  if (joules > 0) c.per_joule = 1 / joules;
  return c;
}

// Collects the lines of one table.
class line_maker {
 public:
  line_maker(std::size_t columns, bool any_precision) : columns_(columns), any_precision_(any_precision) {}

  void put(const row& r, std::size_t column, const compared_cell& cell) {
    number_id id = without_experiment(r);
    id.device.clear();
    if (any_precision_) id.precision.clear();
    const auto [known, is_new] = at_.try_emplace(id, lines_.size());
    if (is_new) lines_.push_back({id, r.unit, std::vector<compared_cell>(columns_)});
    auto& place = lines_[known->second].cells[column];
    if (std::isnan(place.value) && r.unit == lines_[known->second].unit) place = cell;
  }

  std::vector<compared_line> in_order(const std::vector<std::string>& metrics) {
    const auto rank = [&](const compared_line& l) {
      return std::ranges::find(metrics, l.metric.str()) - metrics.begin();
    };
    const auto sizes = ranks_of_sizes();
    std::ranges::stable_sort(lines_, [&](const compared_line& a, const compared_line& b) {
      const auto left = std::tuple(rank(a), a.variant, a.precision, a.parameter, sizes.at(a.size));
      const auto right = std::tuple(rank(b), b.variant, b.precision, b.parameter, sizes.at(b.size));
      return left < right;
    });
    return std::move(lines_);
  }

 private:
  std::unordered_map<shared_text, std::size_t> ranks_of_sizes() const {
    std::unordered_set<shared_text> known;
    for (const auto& l : lines_) known.insert(l.size);
    std::vector<shared_text> sizes(known.begin(), known.end());
    std::ranges::sort(sizes, size_before);
    std::unordered_map<shared_text, std::size_t> ranks;
    for (std::size_t i = 0; i < sizes.size(); ++i) ranks[sizes[i]] = i;
    return ranks;
  }

  std::size_t columns_;
  bool any_precision_;
  std::vector<compared_line> lines_;
  std::unordered_map<number_id, std::size_t> at_;
};

}  // namespace

std::vector<device_column> columns_of(std::span<const compared> all) {
  std::vector<device_column> columns;
  std::map<std::string, std::vector<std::size_t>> owners;  // by the board's name
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (auto& b : boards_of(all[i])) {
      owners[b.name].push_back(i);
      columns.push_back({b.name, i, std::move(b.ids), b.name});
    }
  }
  for (auto& c : columns) {
    const auto& of = owners[c.label];
    const bool is_elsewhere = of.front() != of.back();
    const bool is_twice_here = std::ranges::count(of, c.owner) > 1;
    if (is_elsewhere) c.label += " (" + all[c.owner].name + ")";
    if (is_twice_here) c.label += " " + c.ids.front();
  }
  return columns;
}

std::set<std::size_t> owners_of(const compared_table& t, std::span<const device_column> columns) {
  std::set<std::size_t> owners;
  for (const auto& l : t.lines) owners.merge(owners_of(l, columns));
  return owners;
}

std::set<std::size_t> owners_of(const compared_line& l, std::span<const device_column> columns) {
  std::set<std::size_t> owners;
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (!std::isnan(l.cells[i].value)) owners.insert(columns[i].owner);
  return owners;
}

std::optional<relative_speed> speed_of(const compared_table& t, std::size_t a, std::size_t b) {
  std::vector<double> logarithms;  // of b's times over a's
  for (const auto& l : t.lines) {
    const double of_a = l.cells[a].value, of_b = l.cells[b].value;
    if (l.unit == "s" && of_a > 0 && of_b > 0) logarithms.push_back(std::log(of_b / of_a));
  }
  if (logarithms.empty()) return std::nullopt;
  double mean = 0;
  for (const double value : logarithms) mean += value / static_cast<double>(logarithms.size());
  auto [least, most] = std::ranges::minmax(logarithms);
  relative_speed s{a, b, std::exp(std::abs(mean)), 0, 0, logarithms.size()};
  if (mean < 0) {
    std::swap(s.faster, s.slower);
    std::tie(least, most) = std::tuple(-most, -least);
  }
  s.least = std::exp(least);
  s.most = std::exp(most);
  return s;
}

std::vector<relative_speed> speeds_of(const compared_table& t, std::span<const device_column> columns) {
  const auto has = [&](std::size_t owner, const std::string& board) {
    return std::ranges::any_of(columns, [&](const auto& c) { return c.owner == owner && c.board == board; });
  };
  const auto are_paired = [&](const device_column& a, const device_column& b) {
    return a.board == b.board || (!has(b.owner, a.board) && !has(a.owner, b.board));
  };
  std::vector<relative_speed> speeds;
  for (std::size_t a = 0; a < columns.size(); ++a) {
    const bool is_next_item = a > 0 && columns[a].owner != columns[a - 1].owner;
    if (is_next_item && !speeds.empty()) break;
    for (std::size_t b = a + 1; b < columns.size(); ++b) {
      if (columns[b].owner == columns[a].owner || !are_paired(columns[a], columns[b])) continue;
      if (const auto s = speed_of(t, a, b)) speeds.push_back(*s);
    }
  }
  return speeds;
}

std::vector<compared_table> compare_tables(std::span<const compared> all,
                                           std::span<const device_column> columns,
                                           std::span<const family_layout> families, bool any_precision) {
  struct indexed_run {
    rates_by_case rates;
    rows_by_experiment rows;
  };
  std::vector<std::vector<indexed_run>> runs;
  for (const auto& c : all) {
    auto& of_runs = runs.emplace_back();
    for (const auto& r : c.runs) of_runs.push_back({rates_of(r), numbers_of(r)});
  }
  std::vector<compared_table> tables;
  for (const auto& family : families) {
    for (const auto& shape : family.items) {
      line_maker lines(columns.size(), any_precision);
      for (std::size_t i = 0; i < columns.size(); ++i) {
        const auto& owner = all[columns[i].owner];
        for (const auto& indexed : runs[columns[i].owner]) {
          for (const auto* r : rows_of(shape, indexed.rows, owner.is_paper))
            if (columns[i].has(r->device)) lines.put(*r, i, cell_of(*r, indexed.rates));
        }
      }
      auto table_lines = lines.in_order(shape.metrics);
      if (!table_lines.empty()) tables.push_back({shape.id, shape.title, std::move(table_lines)});
    }
  }
  return tables;
}

compared_table compare_times(std::span<const compared> all, std::span<const device_column> columns,
                             const main_case& paper, std::span<const family_layout> families,
                             const std::string& glob, bool any_precision) {
  std::set<shared_text> shown_by_figures;  // printed tables whose numbers a chosen figure shows
  for (const auto& family : families)
    for (const auto& item : family.items)
      if (matches(glob, item.id) && !item.published_in.empty()) shown_by_figures.insert(item.published_in);
  line_maker lines(columns.size(), any_precision);
  const auto add = [&](std::size_t item, const row& r, const rates_by_case& rates) {
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (columns[i].owner == item && columns[i].has(r.device)) lines.put(r, i, cell_of(r, rates));
  };
  for (std::size_t item = 0; item < all.size(); ++item) {
    for (const auto& from : all[item].runs) {
      const auto rates = rates_of(from);
      for (const auto& r : from.rows) {
        if (!paper.compares(r) || r.unit != "s" || !has_number(r) || family_of(r.experiment) != paper.id)
          continue;
        if (matches(glob, r.experiment) || (all[item].is_paper && shown_by_figures.contains(r.experiment)))
          add(item, r, rates);
      }
    }
  }
  return {paper.id, paper.title, lines.in_order(paper.metrics)};
}

compared_table compare_roofs(std::span<const compared> all, std::span<const device_column> columns) {
  line_maker lines(columns.size(), false);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    for (const auto& r : all[columns[i].owner].runs) {
      for (const auto& id : columns[i].ids) {
        for (const auto& one : r.rows) {
          if (one.experiment != roofs_id || one.device != id || !has_number(one)) continue;
          compared_cell c;
          c.value = one.value;
          lines.put(one, i, c);
        }
      }
    }
  }
  return {roofs_id, "Roofs, measured in the same runs",
          lines.in_order({"copy_roof", "read_roof", "flops_roof", "shared_roof", "functions_roof",
                          "launch_roof", "exchange_roof"})};
}

}  // namespace reprise::reports
