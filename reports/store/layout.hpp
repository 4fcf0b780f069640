// SPDX-License-Identifier: MIT
// How an experiment's rows and fields are shown: the layout of one of the paper's tables or figures, as data.
#pragma once

#include <string>
#include <vector>

namespace reprise::reports {

struct layout {
  enum class kind { table, figure, fields };
  enum class field_drawing { surface, colour_map };

  std::string id;     // the experiment, "jacobi/table1"
  std::string title;  // "Table 1: time of 1000 sweeps against width"
  std::string note;   // one or two sentences: what was timed, and how it differs from the paper
  kind shape{kind::table};

  // Tables: one line for each device and variant. The columns are sizes if there is one metric, otherwise
  // they are metrics.
  // Figures: one series for each device and variant. y is the metric; several metrics have a panel each. x is named below.
  std::vector<std::string> metrics;
  // "width" or "nodes" of the size, "variant" (bars), or "parameter:NAME": the number in the part
  // "NAME=number" of the row's parameter, whose parts are separated by ";". Its other parts
  // distinguish series. `panel_by` and `colour_by` name parts that select a series' panel and colour;
  // markers then show variants and devices.
  std::string x{"width"};
  std::string panel_by{};
  std::string colour_by{};
  std::string x_label{}, y_label{};  // with units; empty: the names of x and of the metric
  bool log_x{};                      // logarithmic from a factor of 3 on; without it, from a factor of 16 on
  bool log_y{};
  bool has_linear_x{};         // never logarithmic
  std::string published_in{};  // the table whose published rows a figure shows, as it prints none itself
  // Two metrics of the paper's tables: each case that prints both is a published point of the figure, at the x of the
  // first one.
  std::string published_x{}, published_y{};
  // Fields: one line of panels for each device and variant, one panel for each named field, or for each value of the part
  // that `panel_by` names.
  std::vector<std::string> columns{};             // names of the fields, in order
  field_drawing drawing{field_drawing::surface};  // a surface in perspective, or a colour map seen from above
  std::string quantity{};                         // the quantity and unit of the fields' values: "u (mV)"
};

struct family_layout {
  std::string word;   // "jacobi"
  std::string title;  // the paper's title
  std::vector<layout> items;
  std::string metric{};                 // of claims that name none; empty: the first metric of the first item
  std::vector<std::string> settings{};  // the names of its experiments' settings
};

}  // namespace reprise::reports
