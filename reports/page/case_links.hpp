// SPDX-License-Identifier: MIT
// Where the report shows the rows and raw samples of each measured case.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "reports/store/run.hpp"
#include "reports/text/table.hpp"

namespace reprise::reports {

// "rows/RUN/cases/jacobi_table1.html#case-12" for every row with a number. Where an experiment repeats a number that an
// earlier experiment of its run measured, the link leads to the case that has the number and samples; else to the row's own
// case, whose page names the one with the samples. A run's cases are
// numbered by their first rows with a number; cases_of in scripts/plotting/cases.py, which writes the pages, numbers
// them in the same way. `folders` are the runs' folders below the report's rows/.
case_links link_cases(std::span<const run> runs, const std::vector<std::string>& folders);

}  // namespace reprise::reports
