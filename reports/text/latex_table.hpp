// SPDX-License-Identifier: MIT
// Writes tables for LaTeX.
#pragma once

#include <string>

#include "reports/text/table.hpp"

namespace reprise::reports {

// Floats for \input that fit a page, with the lines of booktabs where the document loads it, and with a rule where the text of the
// first column changes.
std::string to_latex(const table& t);

}  // namespace reprise::reports
