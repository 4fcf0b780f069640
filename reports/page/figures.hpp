// SPDX-License-Identifier: MIT
// The paper's figures, redrawn: series of published points and of measured ones.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "reports/page/shown_rows.hpp"
#include "reports/store/layout.hpp"
#include "reports/store/row.hpp"

namespace reprise::reports {

struct point {
  double x{no_value};
  std::string x_name{};  // replaces x for bars
  std::string x_id{};    // of the variant that it names
  double y{no_value};
  double q1{no_value};
  double q3{no_value};
};

struct series {
  std::string label{};
  bool published{};
  std::string device{}, variant{};  // their names
  std::string variant_id{};         // without its family
  std::string panel{}, colour{};    // values of panel_by and colour_by; empty if the layout has none
  bool is_roof{};                   // a roof that bounds the panel's other series, not a measurement
  std::vector<point> points{};
};

struct figure {
  std::string id{}, title{}, note{};
  std::string x_label{}, y_label{}, unit{};
  bool log_x{};
  bool log_y{};
  bool has_linear_x{};
  bool has_bars{};
  bool has_own_scales{};  // each panel shows another metric
  bool is_scatter{};      // points without joining lines
  bool is_roofline{};     // a scatter plot with roofs
  std::vector<series> lines{};
};

figure make_figure(const layout& shape, std::span<const shown_row> rows);

std::string source_of(const series& s);  // "published", "measured", "roof"

std::string to_csv(const figure& f);

}  // namespace reprise::reports
