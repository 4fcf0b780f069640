// SPDX-License-Identifier: MIT
// Claims and their verdicts as text for a terminal.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <span>
#include <string>

#include "reports/judging/assessment.hpp"

namespace reprise::benchmarks {

struct judged_paper {
  std::string word, title;
  reports::assessment judged;
};

// The headlines of all papers, then, if `with_claims`, every claim by class, then the counts.
void print_text(std::span<const judged_paper> papers, bool with_claims, std::size_t runs, std::ostream& out);

// Everything behind each claim: sentence, rows, arithmetic, bounds and reason.
void print_why(const judged_paper& paper, std::ostream& out);

}  // namespace reprise::benchmarks
