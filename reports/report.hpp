// SPDX-License-Identifier: MIT
// Writes what people read: tables, figures, verdicts, and report.json, from which the page is made.
//
//   OUT/report.json                      everything below, and the runs
//   OUT/verdicts.csv                     one line for each claim
//   OUT/tables/WORD_NAME.{md,csv,tex}    one table each
//   OUT/figures/WORD_NAME.csv            the points of one figure each
//   OUT/rows/RUN/{rows,samples}.csv      what all of it rests on
//   OUT/rows/RUN/fields/*.csv            likewise
//   OUT/rows/RUN/cases/*.html            each case's rows and samples
#pragma once

#include <filesystem>

#include "reports/ledger.hpp"

namespace reprise::reports {

struct report_request : material {
  std::filesystem::path assumptions;  // Markdown with a section for each family
  std::filesystem::path out;
};

// The same request writes the same bytes. Throws bad_input where `out` is neither empty nor an earlier
// report, and for whatever is wrong with the files that it reads; then nothing is written.
void write_report(const report_request& request);

}  // namespace reprise::reports
