// SPDX-License-Identifier: MIT
// `reprise report`: makes tables, figures, verdicts and a page from runs.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

namespace reprise::benchmarks {

struct report_request {
  std::vector<std::string> runs{};     // folders of runs
  std::vector<std::string> against{};  // folders of earlier runs
  std::filesystem::path out{};         // the report's folder; empty: report/ in the first run's folder
};

// `home` is the folder that holds reference/published, reports/claims and scripts. Remarks on the runs go to
// `remarks`.
void report(const report_request& request, const std::filesystem::path& home, std::ostream& out,
            std::ostream& remarks);

}  // namespace reprise::benchmarks
