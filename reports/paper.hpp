// SPDX-License-Identifier: MIT
// All that a report says of one paper.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/field_figure.hpp"
#include "reports/layout.hpp"
#include "reports/ledger.hpp"
#include "reports/tables.hpp"

namespace reprise::reports {

// A case without a number, and why.
struct not_run {
  std::string variant, device, status, reason;
};

// Is moved, never copied.
struct paper {
  paper() = default;
  paper(paper&&) = default;
  paper& operator=(paper&&) = default;

  std::string word, title;
  printed_rows published;
  std::vector<shown_row> rows;  // of this paper only; point into `published` and into the runs
  std::vector<layout> items;
  std::vector<table> tables;    // in the order of those items that are tables
  std::vector<figure> figures;  // likewise
  std::vector<field_figure> field_figures;
  ledger judged;
  std::string assumptions;  // Markdown
  std::vector<not_run> missing;
};

// The section of a Markdown text whose heading begins with the word; empty where there is none.
std::string section_of(std::string_view markdown, std::string_view word);

// Three lines for those who read nothing else.
std::vector<std::string> telling_lines(std::span<const paper> papers);

}  // namespace reprise::reports
