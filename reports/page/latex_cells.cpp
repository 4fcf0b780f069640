// SPDX-License-Identifier: MIT
// Writes numbers, marks and letters for LaTeX.
#include "reports/page/latex_cells.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reports/text/digits.hpp"
#include "reports/text/latex.hpp"

namespace reprise::reports {

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string latex_number(std::string_view text) {
  return with_latex_powers(for_latex(text));
}

std::string_view latex_mark(std::string_view verdict) {
  if (verdict == "holds" || verdict == "reproduced") return "$\\surd$";
  if (verdict == "holds in part") return "$\\approx$";
  return verdict == "undecided" ? "?" : "$\\neq$";
}

std::string latex_letters(const measured_number& m, const std::vector<std::string>& notes) {
  std::vector<std::string> letters;
  for (const auto& note : m.notes) letters.push_back(note_letter(notes, note));
  return letters.empty() ? std::string() : fmt::format("$^{{{}}}$", fmt::join(letters, ","));
}

}  // namespace reprise::reports
