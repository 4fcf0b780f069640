// SPDX-License-Identifier: MIT
// How an experiment's rows and fields are shown: the shape of one table or figure of the paper, as data.
#pragma once

#include <string>
#include <vector>

namespace reprise::reports {

struct layout {
  enum class kind { table, figure, fields };
  enum class field_drawing { surface, colour_map };

  std::string id;     // the experiment, "jacobi/table1"
  std::string title;  // "Table 1: time of 1000 sweeps against width"
  std::string note;   // one or two sentences: what was timed, where we differ from the paper
  kind shape{kind::table};

  // Tables: one line for each (device, variant), its columns run over the sizes of the one metric named, or,
  // where several are named, over the metrics.
  // Figures: one series for each (device, variant); y is the one metric named, x what is named below.
  std::vector<std::string> metrics;
  // "width" or "nodes" of the size, "variant" (bars), or "parameter:NAME", the number in a part "NAME=number"
  // of the row's parameter, whose parts are separated by ";": its other parts tell series apart. Parts can be
  // named that give each series its panel and its colour; variants and devices are then told by markers.
  std::string x{"width"};
  std::string panel_by{};
  std::string colour_by{};
  bool log_x{};  // a logarithm comes by itself where x spans a factor of 16
  bool log_y{};
  std::string published_in{};  // the table whose published rows a figure shows, as papers print no numbers
                               // for figures
  // Fields: one line of panels for each (device, variant), a panel for each of the fields named.
  std::vector<std::string> columns{};             // the fields' names, in order
  field_drawing drawing{field_drawing::surface};  // a surface in space, or a map seen from above
  std::string quantity{};                         // what the fields' values are: "u (mV)"
};

struct family_layout {
  std::string word;   // "jacobi"
  std::string title;  // the paper's title
  std::vector<layout> items;
  std::string metric{};  // what a claim means that names none; empty: the first metric of the first item
};

}  // namespace reprise::reports
