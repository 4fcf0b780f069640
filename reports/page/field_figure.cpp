// SPDX-License-Identifier: MIT
// Turns rows and the fields of their cases into lines of panels. The rows define the order and the device
// names, and mark wrong answers.
#include "reports/page/field_figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "reports/store/csv.hpp"
#include "reports/store/parameters.hpp"
#include "solvers/common/base/error.hpp"

namespace reprise::reports {
namespace {

constexpr std::size_t most_reasons = 3;

struct shown_case {
  shown_row of;
  std::vector<std::optional<field>> panels;
};

std::vector<std::optional<field>> panels_of(const layout& shape, const row& r, const run& from) {
  std::vector<std::optional<field>> panels;
  for (const auto& name : shape.columns) {
    const auto found =
        std::ranges::find_if(from.fields, [&](const field& f) { return f.name == name && same_case(f, r); });
    panels.push_back(found == from.fields.end() ? std::nullopt : std::optional(thinned(*found)));
  }
  if (std::ranges::none_of(panels, [](const auto& panel) { return panel.has_value(); })) panels.clear();
  return panels;
}

bool same_case(const shown_row& a, const shown_row& b) {
  return a.run_rank == b.run_rank && same_case(*a.data, *b.data);
}

std::vector<shown_case> cases_of(const layout& shape, std::span<const shown_row> rows,
                                 std::span<const run> runs) {
  std::vector<shown_case> cases;
  for (const auto& r : rows) {
    const auto is_same = [&](const shown_case& known) { return same_case(known.of, r); };
    const auto is_wrong = [&](const shown_row& other) {
      return other.data->status == "failed" && !other.published && same_case(other, r);
    };
    if (r.data->status != "ok" || std::ranges::any_of(cases, is_same) || std::ranges::any_of(rows, is_wrong))
      continue;
    auto panels = panels_of(shape, *r.data, runs[r.run_rank]);
    if (!panels.empty()) cases.push_back({r, std::move(panels)});
  }
  return cases;
}

std::string label_of(const shown_row& r, const distinctions& differ) {
  std::string label = r.device;
  const auto add = [&](std::string_view part) {
    if (!part.empty()) label += (label.empty() ? "" : ", ") + std::string(part);
  };
  add(r.variant);
  if (differ.precision) add(r.data->precision);
  if (differ.parameter) add(r.data->parameter);
  if (differ.size) add(r.data->size);
  return label;
}

// Joins cases that differ only in the part that names their panel into one line of panels, the fullest lines first.
std::vector<std::string> join_panels(const layout& shape, std::vector<shown_case>& cases) {
  const auto panel_of = [&](const shown_case& c) {
    return parameters(c.of.data->parameter).text_of(shape.panel_by);
  };
  std::vector<std::string> names;
  for (const auto& c : cases)
    if (std::ranges::find(names, panel_of(c)) == names.end()) names.push_back(panel_of(c));
  std::vector<shown_case> lines;
  for (auto& c : cases) {
    const auto same = std::ranges::find_if(lines, [&](const shown_case& line) {
      return line.of.run_rank == c.of.run_rank && line.of.data->device == c.of.data->device &&
             line.of.data->variant == c.of.data->variant && line.of.data->precision == c.of.data->precision;
    });
    auto& line = same == lines.end() ? lines.emplace_back(shown_case{c.of, {}}) : *same;
    line.panels.resize(names.size());
    auto& panel =
        line.panels[static_cast<std::size_t>(std::ranges::find(names, panel_of(c)) - names.begin())];
    if (!panel) panel = std::move(c.panels.front());
  }
  std::ranges::stable_sort(lines, std::greater{}, [](const shown_case& line) {
    return std::ranges::count_if(line.panels, [](const auto& panel) { return panel.has_value(); });
  });
  cases = std::move(lines);
  return names;
}

std::string reason_for_none(std::span<const shown_row> rows) {
  if (rows.empty()) return {};
  std::vector<std::string> reasons;
  for (const auto& r : rows) {
    if (reasons.size() == most_reasons) break;
    const auto& reason = r.data->reason;
    if ((r.data->status == "skipped" || r.data->status == "failed") && !reason.empty() &&
        std::ranges::find(reasons, reason.str()) == reasons.end()) {
      reasons.push_back(reason);
    }
  }
  return reasons.empty() ? "its cases ran without recording a field"
                         : fmt::format("{}", fmt::join(reasons, "; "));
}

}  // namespace

field_figure make_field_figure(const layout& shape, std::span<const shown_row> all_rows,
                               std::span<const run> runs) {
  if (shape.columns.empty()) throw error("layout " + shape.id + ": columns name the fields to show");
  std::vector<shown_row> rows(all_rows.begin(), all_rows.end());
  std::erase_if(rows, [&](const shown_row& r) { return r.published || r.data->experiment != shape.id; });
  auto cases = cases_of(shape, rows, runs);
  std::vector<shown_row> shown;
  for (const auto& c : cases) shown.push_back(c.of);
  auto differ = distinctions_between(shown);

  field_figure f{shape.id, shape.title, shape.note, shape.quantity};
  f.has_surfaces = shape.drawing == layout::field_drawing::surface;
  f.names = shape.columns;
  if (!shape.panel_by.empty() && !cases.empty()) {
    f.names = join_panels(shape, cases);
    differ.parameter = differ.size = false;  // the panels' names tell them
  }
  if (cases.empty()) f.reason = reason_for_none(rows);
  for (auto& c : cases) {
    auto label = label_of(c.of, differ);
    if (f.lines.size() < most_lines_of_panels) {
      f.lines.push_back({std::move(label), c.of.device, c.of.variant, c.of.run_rank, std::move(c.panels)});
    } else {
      f.left_out.push_back(std::move(label));
    }
  }
  return f;
}

std::optional<field_figure> make_final_state(const family_layout& family, std::span<const shown_row> rows,
                                             std::span<const run> runs) {
  for (const auto& item : family.items) {
    if (item.shape == layout::kind::fields) continue;
    for (const auto& r : rows) {
      if (r.published || r.data->experiment != item.id || r.data->status != "ok") continue;
      layout shape;
      shape.id = item.id;
      shape.title = "The final state of a case of " + item.title;
      shape.shape = layout::kind::fields;
      shape.drawing = layout::field_drawing::colour_map;
      for (const auto& f : runs[r.run_rank].fields)
        if (reports::same_case(f, *r.data)) shape.columns.push_back(f.name);
      if (shape.columns.empty()) continue;
      std::ranges::sort(shape.columns);
      shape.note = fmt::format("`reprise run --fields` recorded it: {}.", case_text(*r.data));
      auto figure = make_field_figure(shape, std::span(&r, 1), runs);
      if (figure.lines.empty()) continue;
      figure.id = family.word + "/final_state";
      return figure;
    }
  }
  return std::nullopt;
}

std::string to_csv(const field_figure& f, const std::vector<std::string>& folders) {
  auto text = csv::line({"series", "device", "variant", "panel", "x0", "x1", "y0", "y1", "file"});
  for (const auto& line : f.lines) {
    for (const auto& panel : line.panels) {
      if (!panel) continue;
      const auto file =
          fmt::format("rows/{}/{}", folders.at(line.run_rank), field_path(file_name_of(*panel)));
      text += csv::cells(line.label, line.device, line.variant, panel->name, panel->x0, panel->x1, panel->y0,
                         panel->y1, file);
    }
  }
  return text;
}

}  // namespace reprise::reports
