// SPDX-License-Identifier: MIT
// What printed tables in all languages share: titles, headings on several levels, and the notes of the first view.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "reports/page/printed_tables.hpp"

namespace reprise::reports {

std::string title_of(const printed_table& t);
std::vector<std::string> notes_of_first_view(printed_table t);

// The levels of headings, and the headings of all columns at one level, counted from the outermost one.
std::size_t depth_of(const printed_table& t);
std::vector<std::string> headings_at(const printed_table& t, std::size_t level);

// Runs of equal neighbours: text and length.
std::vector<std::pair<std::string, std::size_t>> spans(const std::vector<std::string>& texts,
                                                       bool are_joined);

}  // namespace reprise::reports
