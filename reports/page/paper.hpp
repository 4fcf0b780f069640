// SPDX-License-Identifier: MIT
// Everything that a report shows about one paper.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "reports/judging/assessment.hpp"
#include "reports/page/field_figure.hpp"
#include "reports/page/figures.hpp"
#include "reports/page/printed_tables.hpp"
#include "reports/page/tables.hpp"

namespace reprise::reports {

// A case without a number, and the reason.
struct not_run {
  std::string variant, variant_id, device, status, reason;
};

using item = std::variant<table, figure, field_figure>;

// Movable, not copyable: `rows` points into `published`.
struct paper {
  paper() = default;
  paper(paper&&) = default;
  paper& operator=(paper&&) = default;

  std::string word, title;
  std::string name, about;  // a short title, and what is to be known of the paper first; may be empty
  std::string cited;        // its authors, and where it can be found; may be empty
  printed_rows published;
  std::vector<shown_row> rows;  // of this paper; point into `published` and into the runs
  std::vector<item> items;
  std::vector<printed_table> printed;  // the paper's own tables
  assessment judged;
  std::string assumptions;  // Markdown
  std::vector<not_run> missing;
};

// The section of a Markdown text whose heading begins with the word; empty if there is none.
std::string section_of(std::string_view markdown, std::string_view word);

}  // namespace reprise::reports
