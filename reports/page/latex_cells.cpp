// SPDX-License-Identifier: MIT
// Writes numbers, marks and letters for LaTeX.
#include "reports/page/latex_cells.hpp"

#include <fmt/format.h>

#include "reports/text/digits.hpp"
#include "reports/text/latex.hpp"

namespace reprise::reports {

std::string latex_number(std::string_view text) {
  return with_latex_powers(for_latex(text));
}

std::string_view latex_mark(std::string_view verdict) {
  if (verdict == "holds" || verdict == "reproduced") return "$\\surd$";
  if (verdict == "holds in part") return "$\\approx$";
  return verdict == "undecided" ? "?" : "$\\neq$";
}

std::string latex_measured(const measured_number& m, const std::string& set,
                           const std::vector<std::string>& notes) {
  if (m.from == nullptr) return fmt::format("--$^{{{}}}$", note_letter(notes, m.reason));
  auto text = set;
  if (!m.verdict.empty()) text += fmt::format("\\,{}", latex_mark(m.verdict));
  std::vector<std::string> letters;
  for (const auto& note : m.notes) letters.push_back(note_letter(notes, note));
  return letters.empty() ? text : text + fmt::format("$^{{{}}}$", fmt::join(letters, ","));
}

}  // namespace reprise::reports
