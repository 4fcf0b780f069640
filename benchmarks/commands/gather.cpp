// SPDX-License-Identifier: MIT
// Reads runs and collects the layouts of all registered families.
#include "benchmarks/commands/gather.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include "benchmarks/harness/experiment.hpp"
#include "benchmarks/harness/rederive.hpp"
#include "reports/store/run.hpp"
#include "solvers/common/base/error.hpp"

namespace reprise::benchmarks {
namespace {

reports::family_layout layout_of(const harness::family& f) {
  reports::family_layout layout{.word = f.word, .title = f.title, .items = {}, .settings = f.settings};
  for (const harness::experiment& e : f.experiments) layout.items.push_back(e.layout);
  return layout;
}

// Throws bad_input for two runs with the same rows, which would look like two measurements.
void require_no_duplicates(const std::vector<reports::run>& runs) {
  std::map<std::string, const reports::run*> known;
  for (const reports::run& r : runs) {
    if (r.rows.empty()) continue;
    const auto [at, is_new] = known.try_emplace(reports::to_csv(r.rows), &r);
    if (!is_new)
      throw bad_input(fmt::format("{} and {} have the same rows: give only one of them",
                                  at->second->folder.string(), r.folder.string()));
  }
}

std::string remark_on_presets(const std::vector<reports::run>& runs) {
  const auto of_preset = names_by_preset(runs);
  if (of_preset.size() < 2) return {};
  std::string text;
  for (const auto& [preset, names] : of_preset)
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", preset, fmt::join(names, ", "));
  return "runs of different presets: " + text + "; if several have a row, claims use the first one's";
}

std::string remark_on_papers(const reports::report_input& from) {
  std::set<std::string, std::less<>> measured;
  for (const reports::run& r : from.runs)
    for (const reports::row& one : r.rows)
      if (one.status == "ok") measured.insert(std::string(reports::family_of(one.experiment)));
  std::vector<std::string> missing;
  for (const auto& family : from.families)  // families without variants of their own are no papers
    if (!measured.contains(family.word) && !harness::variants_of(family.word).empty())
      missing.push_back(family.word);
  if (missing.empty()) return {};
  return fmt::format("no run has a number for: {}", fmt::join(missing, ", "));
}

}  // namespace

std::map<std::string, std::vector<std::string>> names_by_preset(const std::vector<reports::run>& runs) {
  std::map<std::string, std::vector<std::string>> names;
  for (const reports::run& r : runs) {
    const auto& preset = reports::requested(r, "preset");
    if (preset.is_string()) names[preset].push_back(reports::name_of(r));
  }
  return names;
}

std::vector<std::string> recorded_runs(const std::filesystem::path& home) {
  namespace fs = std::filesystem;
  std::vector<std::string> folders;
  std::error_code none;
  for (const auto& entry : fs::recursive_directory_iterator(home / "reports" / "recorded", none))
    if (entry.path().filename() == reports::description_name)
      folders.push_back(entry.path().parent_path().string());
  std::ranges::sort(folders);
  return folders;
}

std::vector<reports::family_layout> layouts() {
  std::vector<reports::family_layout> all;
  for (const harness::family& f : harness::families()) all.push_back(layout_of(f));
  return all;
}

reports::comparison_sources comparison_sources_below(const std::filesystem::path& home) {
  const auto data = home / "reports" / "compare";
  return {home / "reports" / "recorded",
          home / "reference" / "published",
          home / "reports" / "claims",
          layouts(),
          reports::read_boards(data / "boards.csv"),
          reports::read_main_cases(home / "reports" / "layouts" / "main_cases.csv")};
}

void renew_derived(reports::run& r) {
  for (std::string& line : harness::rederive(r)) r.warnings.push_back(std::move(line));
}

reports::report_input gather(const std::filesystem::path& home, const std::vector<std::string>& folders) {
  reports::report_input all;
  for (const std::string& folder : folders) all.runs.push_back(reports::read_run(folder));
  require_no_duplicates(all.runs);
  // Where several runs have a row the first one counts.
  std::ranges::stable_partition(all.runs,
                                [](const reports::run& r) { return reports::reservations_about(r).empty(); });
  for (reports::run& r : all.runs) renew_derived(r);
  all.families = layouts();
  all.published_dir = home / "reference" / "published";
  all.claims_dir = home / "reports" / "claims";
  all.derived_dir = home / "reports" / "derived";
  return all;
}

std::vector<std::string> remarks_on(const reports::report_input& from) {
  std::vector<std::string> remarks;
  std::size_t unsealed = 0;
  for (const reports::run& r : from.runs) {
    for (const std::string& warning : r.warnings) remarks.push_back(r.folder.string() + ": " + warning);
    for (const std::string& reservation : reports::grave_reservations_about(r))
      remarks.push_back(r.folder.string() + ": " + reservation);
    if (reports::is_finished(r) && !r.is_sealed) ++unsealed;
  }
  if (unsealed > 0) remarks.push_back(fmt::format("{} runs of an older program are not sealed", unsealed));
  for (const std::string& remark : {remark_on_presets(from.runs), remark_on_papers(from)})
    if (!remark.empty()) remarks.push_back(remark);
  return remarks;
}

}  // namespace reprise::benchmarks
