// SPDX-License-Identifier: MIT
// Writes a report: tables, figures, verdicts, and report.json, from which the page is made.
//
//   OUT/report.json                      everything below, and the runs
//   OUT/verdicts.csv                     one line for each claim
//   OUT/limits.{csv,md}                  how near each paper's fastest variants come to what binds them
//   OUT/tables/WORD_NAME.{md,csv,tex}    one table each
//   OUT/tables/WORD_NAME_as_printed.{md,csv,tex}  the paper's tables with today's numbers
//   OUT/figures/WORD_NAME.csv            the points of one figure each
//   OUT/rows/RUN/{rows,samples}.csv      the measurements
//   OUT/rows/RUN/fields/*.csv            the recorded fields
//   OUT/changes.csv                      what changed since the earlier runs, if there are any
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "reports/judging/assessment.hpp"
#include "reports/page/changes.hpp"

namespace reprise::reports {

struct report_request : report_input {
  std::filesystem::path layouts_dir;  // <word>.json, the paper's tables; papers without the file have none
  std::filesystem::path assumptions;  // Markdown with a section for each family
  std::filesystem::path out;
  std::vector<run> against{};  // earlier runs; if there are any, the report marks what changed since
  std::function<void()> document_is_written{};  // called when report.json is there, and other files not yet
};

// The same request writes the same bytes. Returns the changes since the earlier runs, if there are any. Throws bad_input
// if `out` is neither empty nor an earlier report, or if a file that is read is invalid; then nothing is written.
std::optional<changes> write_report(const report_request& request);

}  // namespace reprise::reports
