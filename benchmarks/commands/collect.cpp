// SPDX-License-Identifier: MIT
// Finds the runs of a fleet, summarises them, and prints and writes the summary.
#include "benchmarks/commands/collect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>
#include <span>
#include <system_error>

#include "benchmarks/commands/draw.hpp"
#include "benchmarks/commands/gather.hpp"
#include "reports/compare/comparison.hpp"
#include "reports/compare/likeness.hpp"
#include "reports/fleet/output.hpp"
#include "reports/store/files.hpp"
#include "reports/store/run.hpp"
#include "solvers/common/base/error.hpp"

namespace reprise::benchmarks {
namespace {

namespace fs = std::filesystem;
using reports::compared;

struct found_folders {
  std::vector<fs::path> runs, never_begun;
};

bool is_run(const fs::path& folder) {
  std::error_code none;
  return fs::exists(folder / reports::description_name, none);
}

// Finds runs in the folder or anywhere below it. An empty folder directly below it was prepared for a node on
// which nothing ever started. Deeper empty folders may be anything, so they are ignored.
void find_runs(const fs::path& folder, found_folders& found) {
  if (is_run(folder)) {
    found.runs.push_back(folder);
    return;
  }
  std::error_code code;
  if (!fs::is_directory(folder, code)) reports::require_run_folder(folder);
  const auto before = found.runs.size();
  for (fs::recursive_directory_iterator at(folder, code), end; !code && at != end; at.increment(code)) {
    std::error_code none;
    if (at->is_symlink(none) || !at->is_directory(none)) continue;
    if (is_run(at->path())) {
      found.runs.push_back(at->path());
      at.disable_recursion_pending();
    } else if (at.depth() == 0 && fs::is_empty(at->path(), none)) {
      found.never_begun.push_back(at->path());
    }
  }
  if (found.runs.size() == before)
    throw bad_input(folder.string() +
                    ": neither it nor a folder below it contains a run: name folders of runs");
}

found_folders find_runs(const std::vector<std::string>& folders) {
  found_folders found;
  for (const std::string& folder : folders) find_runs(folder, found);
  std::ranges::sort(found.runs);
  std::ranges::sort(found.never_begun);
  return found;
}

// Refuses runs that cannot be compared, and returns lines about what else differs. The nodes lend their runs
// meanwhile, because copies of a whole fleet's rows would need twice the memory.
std::vector<std::string> require_alike(reports::fleet& of, std::span<const std::string> vary) {
  std::vector<compared> nodes;
  for (auto& n : of.nodes) nodes.push_back({n.name, false, std::move(n.runs)});
  reports::require_once(nodes);
  reports::require_same_properties(nodes, vary);
  auto lines = reports::differences_in(nodes, {"system", "compiler", "flags", "cuda", "git"});
  for (std::size_t i = 0; i < nodes.size(); ++i) of.nodes[i].runs = std::move(nodes[i].runs);
  return lines;
}

// Compares the types of nodes as if each were one machine.
std::vector<reports::table> compare_types(const reports::fleet& of, const fs::path& home) {
  std::vector<compared> types;
  for (const auto& t : of.types) {
    auto typical = reports::typical_run(of, t);
    if (!typical.rows.empty()) types.push_back({t.name, false, {std::move(typical)}});
  }
  return reports::to_tables(reports::compare_devices(types, comparison_sources_below(home), "*", false));
}

void write(const fs::path& folder, const reports::fleet_report& report,
           const std::vector<reports::table>& types) {
  reports::write_tables(folder / "types", types);
  reports::write_text(folder / "nodes.csv", reports::nodes_csv(report));
  reports::write_text(folder / "timings.csv", reports::timings_csv(report));
  reports::write_text(folder / "medians.csv", reports::medians_csv(report));
  reports::write_text(folder / "fleet.json", reports::to_text(reports::to_json(report, types)));
}

outcome outcome_of(const reports::fleet_report& report) {
  if (report.has_wrong()) return outcome::wrong;
  if (report.has_slower()) return outcome::slower;
  return report.is_incomplete() ? outcome::undecided : outcome::good;
}

}  // namespace

outcome collect(const collect_request& request, const fs::path& home, std::ostream& out) {
  auto found = find_runs(request.folders);
  std::vector<reports::run> runs;
  for (const fs::path& folder : found.runs) {
    runs.push_back(reports::read_run(folder));
    renew_derived(runs.back());
    for (const std::string& warning : runs.back().warnings) out << folder.string() << ": " << warning << '\n';
  }
  const auto noise =
      request.noise.empty() ? std::vector<reports::case_noise>{} : reports::read_noise(request.noise);
  reports::fleet_report report{reports::make_fleet(std::move(runs)), {}, std::move(found.never_begun)};
  const auto differences = require_alike(report.of, request.vary);
  report.speeds = reports::compare_nodes(report.of, noise);

  const auto types = compare_types(report.of, home);
  if (report.of.types.size() > 1)
    for (const auto& t : types) out << reports::to_text(t) << '\n';
  for (const std::string& line : differences) out << line << '\n';
  out << reports::to_text(report);
  if (request.noise.empty())
    out << fmt::format(
        "No noise was given: the default floor of {:.1f} % applies. `reprise compare --floor FILE` "
        "measures a node's from five or more runs.\n",
        reports::percent(reports::default_floor));
  if (!request.out.empty()) write(request.out, report, types);
  return outcome_of(report);
}

outcome collect_and_draw(const collect_request& request, const fs::path& home, std::ostream& out) {
  const auto found = collect(request, home, out);
  if (!request.out.empty()) {
    draw(request.out, home);
    out << "fleet in " << request.out.string() << '\n';
  }
  return found;
}

}  // namespace reprise::benchmarks
