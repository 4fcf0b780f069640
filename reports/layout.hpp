// SPDX-License-Identifier: MIT
// How an experiment's rows are shown: the shape of one table or figure of the paper, as data.
#pragma once

#include <string>
#include <vector>

namespace reprise::reports {

struct layout {
  enum class kind { table, figure };

  std::string id;     // the experiment, "jacobi/table1"
  std::string title;  // "Table 1: time of 1000 sweeps against width"
  std::string note;   // one or two sentences: what was timed, where we differ from the paper
  kind shape{kind::table};

  // Tables: one line for each (device, variant), its columns run over the sizes of the one metric named, or,
  // where several are named, over the metrics.
  // Figures: one series for each (device, variant); y is the one metric named, x the part of the size named
  // below.
  std::vector<std::string> metrics;
  std::string x{"width"};  // "width", "nodes" or "variant" (bars)
  bool log_y{};
  std::string published_in{};  // the table whose published rows a figure shows, as papers print no numbers
                               // for figures
};

struct family_layout {
  std::string word;   // "jacobi"
  std::string title;  // the paper's title
  std::vector<layout> items;
  std::string metric{};  // what a claim means that names none; empty: the first metric of the first item
};

}  // namespace reprise::reports
