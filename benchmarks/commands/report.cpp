// SPDX-License-Identifier: MIT
// Gathers the input of a report, writes the report and draws its figures.
#include "benchmarks/commands/report.hpp"

#include <algorithm>
#include <ostream>
#include <ranges>
#include <utility>

#include "benchmarks/commands/draw.hpp"
#include "benchmarks/commands/gather.hpp"
#include "reports/page/report.hpp"

namespace reprise::benchmarks {

void report(const report_request& request, const std::filesystem::path& home, std::ostream& out,
            std::ostream& remarks) {
  const auto folder =
      request.out.empty() ? std::filesystem::path(request.runs.front()) / "report" : request.out;
  drawing page(folder, home);
  reports::report_request whole{gather(home, request.runs), home / "reports" / "layouts", {}, {}, {}, {}};
  for (const std::string& remark : remarks_on(whole)) remarks << "reprise: " << remark << '\n';
  whole.assumptions = whole.published_dir / "assumptions.md";
  whole.out = folder;
  whole.document_is_written = [&] { page.document_is_written(); };
  if (!request.against.empty()) {
    auto before = gather(home, request.against);
    for (const std::string& remark : remarks_on(before)) remarks << "reprise: against: " << remark << '\n';
    if (!std::ranges::equal(names_by_preset(before.runs) | std::views::keys,
                            names_by_preset(whole.runs) | std::views::keys))
      remarks << "reprise: against: the runs have other presets, so other cases and counts\n";
    whole.against = std::move(before.runs);
  }
  if (const auto since = reports::write_report(whole)) out << reports::to_text(*since);
  out << "report in " << whole.out.string() << '\n';
  page.finish();
}

}  // namespace reprise::benchmarks
