// SPDX-License-Identifier: MIT
// The tables and figures of a paper, drawn again: a layout filled with published rows first and measured ones
// after.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/layout.hpp"
#include "reports/row.hpp"
#include "reports/run_folder.hpp"

namespace reprise::reports {

// A row as a table shows it.
struct shown_row {
  const row* data{};
  bool published{};
  std::string device;  // its name; with the run's where several runs are shown
  std::size_t run_rank{};
  std::size_t device_rank{};

  std::string_view source() const { return published ? "published" : "measured"; }
};

// Published rows in their own order, then measured ones by run and by the run's order of devices. The result
// points into what it was made from.
std::vector<shown_row> shown_rows(std::span<const row> published, std::span<const run> runs);

struct cell {
  double value{no_value};
  std::string unit;   // only where it is not that of the column
  bool is_missing{};  // skipped or failed: the reason is told elsewhere
  const row* from{};  // what it shows
};

struct table_line {
  bool published{};
  std::vector<std::string> head;  // device, variant, and what else tells lines apart
  std::vector<cell> cells;
};

struct table {
  std::string id, title, note;
  std::string unit;  // of all cells; empty where the columns have units of their own
  std::vector<std::string> head_columns;
  std::vector<std::string> columns;
  std::vector<table_line> lines;
};

table make_table(const layout& shape, std::span<const shown_row> rows);

// Four significant digits, whole numbers in full, "–" for what could not be had.
std::string to_text(const cell& c);

// Text from files with what Markdown would take for markup escaped.
std::string for_markdown(std::string_view text);

// One file each. The CSV has numbers in full; the LaTeX is a tabular of booktabs to be \input.
std::string to_markdown(const table& t);
std::string to_csv(const table& t);
std::string to_latex(const table& t);

struct point {
  double x{no_value};
  std::string x_name;  // in place of x, for bars
  double y{no_value};
  double q1{no_value};
  double q3{no_value};
};

struct series {
  std::string label;
  bool published{};
  std::string device, variant;
  std::string panel, colour;  // what the layout's parts say; empty where it names none
  bool is_roof{};             // what bounds the other series of its panel, and no measurement of its own
  std::vector<point> points;
};

struct figure {
  std::string id, title, note;
  std::string x_label, y_label, unit;
  bool log_x{};
  bool log_y{};
  bool has_bars{};
  bool is_scatter{};   // points that no lines join
  bool is_roofline{};  // such points under roofs
  std::vector<series> lines;
};

figure make_figure(const layout& shape, std::span<const shown_row> rows);

std::string source_of(const series& s);  // "published", "measured", "roof"

std::string to_csv(const figure& f);

}  // namespace reprise::reports
