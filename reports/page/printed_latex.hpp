// SPDX-License-Identifier: MIT
// Printed tables in LaTeX.
#pragma once

#include <string>

#include "reports/page/printed_tables.hpp"

namespace reprise::reports {

// Floats for \input, with caption, label, notes and reasons, no wider than the text and no longer than a page. They need no
// package, and use booktabs and graphicx where the document loads them.
std::string to_latex(const printed_table& t);

}  // namespace reprise::reports
