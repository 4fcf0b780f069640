// SPDX-License-Identifier: MIT
// Fills the layouts of a paper's tables.
#include "reports/page/printed_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "reports/page/measured_lookup.hpp"
#include "reports/text/digits.hpp"
#include "reports/text/table.hpp"

namespace reprise::reports {
namespace {

// The printed rows by key, with variants named without their family.
class printed_lookup {
 public:
  explicit printed_lookup(const printed_rows& paper) {
    for (std::size_t i = 0; i < paper.rows.size(); ++i) {
      const auto& r = paper.rows[i];
      rows_.try_emplace({r.experiment, std::string(short_name(r.variant)), r.device, r.precision, r.size,
                         sorted_parts(r.parameter), r.metric},
                        &r, paper.roundings[i]);
    }
  }
  // The row and half a unit of its last digit; null if the paper prints nothing there.
  std::pair<const row*, double> find(const row_key& key) const {
    const auto known = rows_.find(key);
    return known == rows_.end() ? std::pair<const row*, double>() : known->second;
  }

 private:
  std::map<row_key, std::pair<const row*, double>> rows_;
};

// Whether a table has numbers of its own, and not only what devices reach with nothing else to do.
bool has_own_numbers(const printed_layout& layout) {
  return std::ranges::any_of(layout.rows, [](const auto& line) {
    return std::ranges::any_of(line.cells,
                               [](const auto& c) { return c.reason.empty() && !is_roof(c.measured); });
  });
}

// The devices, and variants in the place of the paper's, that a table can show; those of the paper first. A device of which
// there is only a roof is none.
std::vector<table_view> possible_views(const printed_layout& layout, const measured_lookup& lookup,
                                       const variant_names& names) {
  std::map<std::tuple<bool, bool, std::size_t, std::size_t, std::string>, table_view> ordered;
  const bool skips_roofs = has_own_numbers(layout);
  for (const auto& line : layout.rows)
    for (const auto& cell : line.cells) {
      if (!cell.reason.empty() || (skips_roofs && is_roof(cell.measured))) continue;
      auto selector = cell.measured;
      auto& variant = at(selector, key_field::variant);
      if (!layout.choice.empty() && variant != layout.choice) continue;
      if (!layout.choice.empty()) variant = "*";
      for (const auto* r : lookup.matching(selector)) {
        const std::string name(layout.choice.empty() ? "" : short_name(r->data->variant));
        ordered.try_emplace(
            {name != layout.choice, r->has_reserve, r->run_rank, r->device_rank, name + r->device},
            table_view{r->device, name, name.empty() ? "" : names.of(r->data->variant)});
      }
    }
  std::vector<table_view> views;
  for (const auto& [place, view] : ordered)
    if (std::ranges::none_of(
            views, [&](const table_view& v) { return v.device == view.device && v.variant == view.variant; }))
      views.push_back(view);
  const auto id_of = [&](const std::string& variant) {
    return fmt::format("{}/{}", family_of(layout.id), variant);
  };
  if (views.empty())
    views.push_back({"", layout.choice, layout.choice.empty() ? "" : names.of(id_of(layout.choice))});
  return views;
}

std::vector<std::string> headings(const std::vector<std::string>& labels, const std::string& unit) {
  auto all = labels;
  all.back() = with_unit(all.back(), unit);
  return all;
}

// The unit of a column's cells if they share one; a column of facts has none.
std::string unit_of_column(const printed_table& table, std::size_t column) {
  std::set<std::string> units;
  for (const auto& line : table.cells)
    if (line[column] && line[column]->text.find_first_of("0123456789") != std::string::npos)
      units.insert(line[column]->unit);  // a word, such as "fail", has no unit
  return units.size() == 1 ? *units.begin() : std::string();
}

// Whether the heading of the column names the unit, so that its cells need not.
bool names_unit(const std::vector<std::string>& headings, const std::string& unit) {
  return unit.empty() || unit == "1" || headings.back().ends_with("(" + unit + ")");
}

// "×1.02", and "÷42.5" for a ratio below one.
std::string ratio_text(double ratio) {
  if (ratio >= 1) return "×" + brief_text(ratio);
  const auto inverse = brief_text(1 / ratio);
  return (inverse == brief_text(1.0) ? "×" : "÷") + inverse;
}

// What says more than the number: "1 launch for 20000 steps", and a quotient where there is no excess over one.
std::string in_other_words(const printed_cell& cell, const measured_number& m) {
  if (!cell.fraction.empty() && m.value > 0 && m.value < 1)
    return "1 " + fmt::format(fmt::runtime(cell.fraction), brief_text(1 / m.value));
  const double quotient = 1 + m.value / unit_factor("1", cell.unit).value_or(1);
  return cell.is_excess && m.value < 0 && quotient > 0 ? "÷" + brief_text(1 / quotient) : std::string();
}

void write_texts(printed_cell& cell, const std::vector<std::string>& headings) {
  const bool is_named = names_unit(headings, cell.unit);
  if (!is_named) cell.text += " " + cell.unit;
  for (auto& m : cell.numbers) {
    if (m.from == nullptr || !m.text.empty()) continue;
    if (m.text = in_other_words(cell, m); !m.text.empty()) continue;
    m.text =
        cell.has_powers ? power_text(m.value, m.low, m.high) : brief_text(m.value, m.low, m.high, cell.unit);
    const bool has_unit = m.text.find(' ') != std::string::npos;
    if (!is_named && !has_unit) m.text += " " + cell.unit;
    if (m.ratio > 0) m.ratio_text = ratio_text(m.ratio);
  }
}

// Views that show the same rows as an earlier one are dropped.
void drop_equal_views(printed_table& table) {
  std::vector<std::size_t> kept;
  for (std::size_t v = 0; v < table.views.size(); ++v) {
    const auto equals = [&](std::size_t other) {
      return std::ranges::all_of(table.cells, [&](const auto& line) {
        return std::ranges::all_of(line, [&](const auto& cell) {
          return !cell || (cell->numbers[v].from == cell->numbers[other].from &&
                           cell->numbers[v].beside == cell->numbers[other].beside);
        });
      });
    };
    if (std::ranges::none_of(kept, equals)) kept.push_back(v);
  }
  const auto keep = [&](auto& all) {
    for (std::size_t i = 0; i < kept.size(); ++i)
      if (kept[i] != i) all[i] = std::move(all[kept[i]]);
    all.resize(kept.size());
  };
  keep(table.views);
  for (auto& line : table.cells)
    for (auto& cell : line)
      if (cell) keep(cell->numbers);
}

std::optional<printed_cell> make_cell(const layout_cell& cell, const printed_layout& layout,
                                      const std::vector<table_view>& views, const printed_lookup& paper,
                                      const cell_measurer& measurer) {
  const auto [published, half_unit] = paper.find(cell.published);
  if (published == nullptr) return std::nullopt;
  printed_cell result;
  result.published = published;
  result.unit = cell.unit;
  if (result.unit.empty()) result.unit = published->unit;
  const double factor = unit_factor(published->unit, result.unit).value_or(1);
  result.has_powers = cell.has_powers;
  result.fraction = cell.fraction;
  result.is_excess = cell.is_excess;
  result.value = published->value * factor;
  result.text = printed_text(result.value, half_unit * factor, cell.has_powers);
  if (const auto word = cell.words.find(fmt::format("{}", published->value)); word != cell.words.end())
    result.text = word->second;
  result.half_unit = half_unit * factor;
  const print_of_cell printed{published, result.value, result.half_unit, result.unit};
  for (const auto& view : views) result.numbers.push_back(measurer.measure(cell, layout, view, printed));
  return result;
}

// The roof that most numbers of a line are shares of, in one view; null if none is.
const row* roof_of_shares(const std::vector<std::optional<printed_cell>>& line, const layout_row& shape,
                          std::size_t view, const row_key& selector) {
  std::map<const row*, std::size_t> counts;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const auto& over = shape.cells[i].over;
    if (!line[i] || !over || !is_roof(*over) || line[i]->numbers[view].from == nullptr) continue;
    if (at(*over, key_field::metric) == at(selector, key_field::metric))
      ++counts[line[i]->numbers[view].beside];
  }
  const auto most = std::ranges::max_element(counts, {}, [](const auto& one) { return one.second; });
  return most == counts.end() ? nullptr : most->first;
}

// A share stands beside the roof that it was computed from: the line's cell of that roof shows this one, or else the share
// says of what it is.
void show_roofs_of_shares(std::vector<std::optional<printed_cell>>& line, const layout_row& shape,
                          const printed_layout& layout, const std::vector<table_view>& views,
                          const cell_measurer& measurer) {
  for (std::size_t view = 0; view < views.size(); ++view) {
    std::vector<const row*> shown;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const auto& selector = shape.cells[i].measured;
      if (!line[i] || shape.cells[i].over || !is_roof(selector)) continue;
      auto& cell = *line[i];
      const auto* const roof = roof_of_shares(line, shape, view, selector);
      const print_of_cell printed{cell.published, cell.value, cell.half_unit, cell.unit};
      if (roof != nullptr && roof != cell.numbers[view].from)
        if (auto same = measurer.measure_row(shape.cells[i], layout, views[view], printed, *roof))
          cell.numbers[view] = *std::move(same);
      shown.push_back(cell.numbers[view].from);
    }
    for (std::size_t i = 0; i < line.size(); ++i)
      if (line[i] && shape.cells[i].over && is_roof(*shape.cells[i].over))
        if (auto& m = line[i]->numbers[view]; std::ranges::find(shown, m.beside) != shown.end())
          m.beside_text.clear();
  }
}

// The runs of a view's numbers with what speaks against them.
std::string sources_of(const printed_table& table, std::size_t view, std::span<const run> runs) {
  std::set<std::size_t> used;
  for (const auto& line : table.cells)
    for (const auto& cell : line)
      if (cell) used.insert(cell->numbers[view].runs.begin(), cell->numbers[view].runs.end());
  std::vector<std::string> names;
  for (const auto rank : used) {
    std::vector<std::string> reserves;
    for (const auto& one : reservations_about(runs[rank]))
      reserves.push_back(one.substr(0, one.find_first_of(":(,")));
    for (auto& one : reserves) one = one.substr(0, one.find_last_not_of(' ') + 1);
    names.push_back(name_of(runs[rank]) +
                    (reserves.empty() ? std::string() : fmt::format(" ({})", fmt::join(reserves, ", "))));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

std::string label_of(const table_view& view) {
  if (view.variant_name.empty()) return view.device;
  return view.device.empty() ? view.variant_name : view.variant_name + " on " + view.device;
}

std::vector<printed_table> make_printed_tables(std::span<const printed_layout> layouts,
                                               const printed_rows& paper, std::span<const shown_row> rows,
                                               std::span<const run> runs, const assessment& judged,
                                               const variant_names& names) {
  const measured_lookup lookup(layouts, rows, runs);
  const printed_lookup printed(paper);
  const cell_measurer measurer(lookup, judged, runs, names);
  std::vector<printed_table> tables;
  for (const auto& layout : layouts) {
    auto& table = tables.emplace_back();
    std::tie(table.id, table.title, table.caption, table.note, table.stub) =
        std::tie(layout.id, layout.title, layout.caption, layout.note, layout.stub);
    table.views = possible_views(layout, lookup, names);
    for (const auto& line : layout.rows) {
      table.labels.push_back(line.labels);
      auto& cells = table.cells.emplace_back();
      for (const auto& cell : line.cells)
        cells.push_back(make_cell(cell, layout, table.views, printed, measurer));
      show_roofs_of_shares(cells, line, layout, table.views, measurer);
    }
    drop_equal_views(table);
    for (std::size_t view = 0; view < table.views.size(); ++view)
      table.sources.push_back(sources_of(table, view, runs));
    for (std::size_t i = 0; i < layout.columns.size(); ++i)
      table.columns.push_back(headings(layout.columns[i], unit_of_column(table, i)));
    for (auto& line : table.cells)
      for (std::size_t i = 0; i < line.size(); ++i)
        if (line[i]) write_texts(*line[i], table.columns[i]);
  }
  return tables;
}

std::vector<std::string> notes_of(const printed_table& table) {
  std::vector<std::string> notes;
  const auto add = [&](const std::string& note) {
    if (std::ranges::find(notes, note) == notes.end()) notes.push_back(note);
  };
  for (const auto& line : table.cells)
    for (const auto& cell : line)
      for (const auto& m : cell ? cell->numbers : std::vector<measured_number>()) {
        if (m.from == nullptr) add(m.reason);
        std::ranges::for_each(m.notes, add);
      }
  return notes;
}

std::string note_letter(const std::vector<std::string>& notes, const std::string& note) {
  constexpr std::ptrdiff_t letters = 26;
  const auto place = std::ranges::find(notes, note) - notes.begin();
  const std::string last(1, static_cast<char>('a' + place % letters));
  return place < letters ? last : std::string(1, static_cast<char>('a' + place / letters - 1)) + last;
}

cell_count count_cells(std::span<const printed_table> tables) {
  cell_count count;
  for (const auto& table : tables)
    for (const auto& line : table.cells)
      for (const auto& cell : line) {
        if (!cell) continue;
        ++count.printed;
        if (cell->numbers.front().from != nullptr) ++count.measured;
      }
  return count;
}

}  // namespace reprise::reports
