// SPDX-License-Identifier: MIT
// Fills the layouts of a paper's tables.
#include "reports/page/printed_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
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

// Whether a heading is or begins with the unit itself: "GB/s", "% GB/s" of percents, and "GFlops" of GFLOP/s.
bool says_unit(std::string_view heading, std::string_view unit) {
  if (heading == unit || heading.starts_with(std::string(unit) + " ")) return true;
  if (!unit.ends_with("/s")) return false;
  const auto name = std::string(unit.substr(0, unit.size() - 2)) + "s";
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  return std::ranges::equal(heading, name, {}, lower, lower);
}

std::vector<std::string> headings(const std::vector<std::string>& labels, const std::string& unit) {
  auto all = labels;
  if (!says_unit(all.back(), unit)) all.back() = with_unit(all.back(), unit);
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
  return unit.empty() || unit == "1" || headings.back().ends_with("(" + unit + ")") ||
         says_unit(headings.back(), unit);
}

// "×1.02", and "÷42.5" for a ratio below one.
std::string ratio_text(double ratio) {
  if (ratio >= 1) return "×" + brief_text(ratio);
  const auto inverse = brief_text(1 / ratio);
  return (inverse == brief_text(1.0) ? "×" : "÷") + inverse;
}

// What says more than the number: "1 launch for 20000 steps", and what is faster where the paper's is slower.
std::string in_other_words(const printed_cell& cell, const measured_number& m) {
  if (!cell.fraction.empty() && m.value > 0 && m.value < 1)
    return "1 " + fmt::format(fmt::runtime(cell.fraction), brief_text(1 / m.value));
  const double quotient = 1 + m.value / unit_factor("1", cell.unit).value_or(1);
  if (!cell.is_excess || m.value >= 0 || quotient <= 0) return {};
  const bool is_slowness = cell.published->metric.str().starts_with("slower");
  return fmt::format("{} times as {}", brief_text(1 / quotient), is_slowness ? "fast" : "slow");
}

// The unit of the measured numbers beside a column's cells of one unit, in one view: the print's, unless it makes the
// middle one of them unreadable.
std::string_view unit_of_measured(const printed_table& table, std::size_t column, std::size_t view,
                                  const std::string& unit) {
  std::vector<double> sizes;
  for (const auto& line : table.cells)
    if (line[column] && line[column]->unit == unit && line[column]->numbers[view].from != nullptr)
      if (const double size = std::abs(line[column]->numbers[view].value); size > 0) sizes.push_back(size);
  if (sizes.empty()) return unit;
  std::ranges::sort(sizes);
  return readable_unit(sizes[sizes.size() / 2], unit);
}

void write_text(printed_cell& cell, measured_number& m, std::string_view unit, bool is_named) {
  if (m.from == nullptr || !m.text.empty()) return;
  if (m.text = in_other_words(cell, m); !m.text.empty()) return;
  const double factor = unit_factor(cell.unit, unit).value_or(1);
  m.text = cell.has_powers ? power_text(m.value * factor, m.low * factor, m.high * factor)
                           : brief_text(m.value * factor, m.low * factor, m.high * factor);
  if (!is_named || unit != cell.unit) m.text += fmt::format(" {}", printed_unit(unit));
  if (m.ratio > 0) m.ratio_text = ratio_text(m.ratio);
}

void write_texts(printed_table& table, std::size_t column) {
  std::map<std::pair<std::string, std::size_t>, std::string_view> units;
  for (const auto& line : table.cells)
    for (std::size_t view = 0; line[column] && view < table.views.size(); ++view)
      if (const auto& unit = line[column]->unit; !units.contains({unit, view}))
        units[{unit, view}] = unit_of_measured(table, column, view, unit);
  for (auto& line : table.cells) {
    if (!line[column]) continue;
    auto& cell = *line[column];
    const bool is_named = names_unit(table.columns[column], cell.unit);
    if (!is_named) cell.text += " " + cell.unit;
    for (std::size_t view = 0; view < table.views.size(); ++view)
      write_text(cell, cell.numbers[view], units.at({cell.unit, view}), is_named);
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

std::string on_other_devices(const printed_table& table, std::size_t view) {
  const auto& own = table.views[view].device;
  const std::size_t rows = table.cells.size(), columns = table.columns.size();
  const auto devices_in = [&](auto&& is_wanted) {
    std::set<std::string> devices;
    for (std::size_t row = 0; row < rows; ++row)
      for (std::size_t column = 0; column < columns; ++column) {
        const auto& c = table.cells[row][column];
        if (c && c->numbers[view].from != nullptr && is_wanted(row, column))
          devices.insert(c->numbers[view].device);
      }
    return devices;
  };
  const auto same_heading = [&](const std::string& text) {
    return [&](std::size_t, std::size_t column) { return table.columns[column].front() == text; };
  };
  // A label that stands for rows of one device only, such as CPU, says enough.
  const auto name_of_row = [&](std::size_t row) {
    const auto& labels = table.labels[row];
    for (std::size_t k = labels.size(); k-- > 0;) {
      const auto has_label = [&](std::size_t other, std::size_t) {
        return table.labels[other][k] == labels[k];
      };
      if (devices_in(has_label).size() == 1) return labels[k];
    }
    return fmt::format("{}", fmt::join(labels, ", "));
  };
  std::vector<std::pair<std::string, std::vector<std::string>>> parts;  // devices, and what they measured
  const auto add = [&](const std::string& device, const std::string& what) {
    if (device == own) return;
    auto known = std::ranges::find(parts, device, &decltype(parts)::value_type::first);
    if (known == parts.end()) known = parts.insert(parts.end(), {device, {}});
    if (std::ranges::find(known->second, what) == known->second.end()) known->second.push_back(what);
  };
  for (std::size_t column = 0; column < columns; ++column) {
    const auto& heads = table.columns[column];
    const auto of_column = devices_in([&](std::size_t, std::size_t other) { return other == column; });
    if (of_column.size() == 1) {
      const bool is_whole_group = devices_in(same_heading(heads.front())).size() == 1;
      add(*of_column.begin(), is_whole_group ? heads.front() : fmt::format("{}", fmt::join(heads, ": ")));
      continue;
    }
    for (std::size_t row = 0; row < rows; ++row) {
      const auto& c = table.cells[row][column];
      if (!c || c->numbers[view].from == nullptr) continue;
      const bool is_whole_row =
          devices_in([&](std::size_t other, std::size_t) { return other == row; }).size() == 1;
      add(c->numbers[view].device, is_whole_row ? name_of_row(row) : "some cells");
    }
  }
  std::vector<std::string> texts;
  for (const auto& [device, what] : parts)
    texts.push_back(fmt::format("{} with {}", fmt::join(what, ", "), device));
  return fmt::format("{}", fmt::join(texts, "; "));
}

std::string measured_with(const printed_table& table, std::size_t view) {
  const auto others = on_other_devices(table, view);
  return label_of(table.views[view]) + (others.empty() ? "" : "; " + others);
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
    for (std::size_t i = 0; i < layout.columns.size(); ++i) write_texts(table, i);
  }
  return tables;
}

std::vector<std::string> notes_of(const printed_table& table) {
  std::vector<std::string> notes;
  const auto add = [&](const std::string& note) {
    if (std::ranges::find(notes, note) == notes.end()) notes.push_back(note);
  };
  for (std::size_t view = 0; view < table.views.size(); ++view)
    for (const auto& line : table.cells)
      for (const auto& cell : line) {
        if (!cell || view >= cell->numbers.size()) continue;
        const auto& m = cell->numbers[view];
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
