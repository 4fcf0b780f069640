// SPDX-License-Identifier: MIT
// Finds the runs of a fleet, puts them together, prints and writes what they tell.
#include "benchmarks/collect_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <set>
#include <system_error>

#include "benchmarks/gather.hpp"
#include "reports/comparison.hpp"
#include "reports/comparison_text.hpp"
#include "reports/files.hpp"
#include "reports/fleet_report.hpp"
#include "reports/run_contents.hpp"
#include "solvers/common/error.hpp"

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

// Runs lie in the folder or anywhere below it. A folder for a run that is empty is that of a node on which
// nothing ever started; only those directly below are known to be such folders.
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
                    ": holds no run, and none of the folders below does; name those of runs");
}

found_folders find_runs(const std::vector<std::string>& folders) {
  found_folders found;
  for (const std::string& folder : folders) find_runs(folder, found);
  std::sort(found.runs.begin(), found.runs.end());
  std::sort(found.never_begun.begin(), found.never_begun.end());
  return found;
}

std::vector<compared> by_node(const reports::fleet& of) {
  std::vector<compared> all;
  for (const auto& n : of.nodes) all.push_back({n.name, false, n.runs});
  return all;
}

// Each type as if it were one machine.
std::vector<reports::named_grid> compare_types(const reports::fleet& of, const fs::path& home) {
  std::vector<compared> types;
  for (const auto& t : of.types) {
    auto typical = reports::typical_run(of, t);
    if (!typical.rows.empty()) types.push_back({t.name, false, {std::move(typical)}});
  }
  return reports::comparison_grids(types, comparison_sources_below(home), "*", false);
}

void write(const fs::path& folder, const reports::fleet_report& report,
           const std::vector<reports::named_grid>& types) {
  reports::write_grids(folder / "types", types);
  reports::write_text(folder / "nodes.csv", reports::nodes_csv(report));
  reports::write_text(folder / "timings.csv", reports::timings_csv(report));
  reports::write_text(folder / "medians.csv", reports::medians_csv(report));
  reports::write_text(folder / "fleet.json", reports::to_text(reports::to_json(report, types)));
}

fleet_outcome outcome_of(const reports::fleet_report& report) {
  if (report.has_wrong()) return fleet_outcome::wrong;
  if (report.has_slower()) return fleet_outcome::slower;
  return report.is_incomplete() ? fleet_outcome::incomplete : fleet_outcome::good;
}

}  // namespace

fleet_outcome collect(const collect_request& request, const fs::path& home, std::ostream& out) {
  auto found = find_runs(request.folders);
  std::vector<reports::run> runs;
  for (const fs::path& folder : found.runs) {
    runs.push_back(reports::read_run(folder));
    for (const std::string& warning : runs.back().warnings) out << folder.string() << ": " << warning << '\n';
  }
  const auto noise =
      request.noise.empty() ? std::vector<reports::case_noise>{} : reports::read_noise(request.noise);
  reports::fleet_report report{reports::make_fleet(std::move(runs)), {}, std::move(found.never_begun)};
  const auto nodes = by_node(report.of);
  reports::require_once(nodes);
  reports::require_same_properties(nodes, request.vary);
  report.speeds = reports::compare_nodes(report.of, noise);

  const auto types = compare_types(report.of, home);
  if (report.of.types.size() > 1)
    for (const auto& [name, g] : types) out << reports::to_text(g) << '\n';
  for (const std::string& line :
       reports::differences_in(nodes, {"system", "compiler", "flags", "cuda", "git"}))
    out << line << '\n';
  out << reports::to_text(report);
  if (request.noise.empty())
    out << fmt::format(
        "No noise was given: the default floor of {:.1f} % holds. `reprise compare --floor FILE` learns a "
        "node's from five or more runs.\n",
        reports::percent(reports::default_floor));
  if (!request.out.empty()) write(request.out, report, types);
  return outcome_of(report);
}

}  // namespace reprise::benchmarks
