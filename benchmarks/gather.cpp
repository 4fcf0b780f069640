// SPDX-License-Identifier: MIT
// Reads runs and collects the layouts of all registered families.
#include "benchmarks/gather.hpp"

#include <algorithm>
#include <system_error>

#include "benchmarks/harness/experiment.hpp"
#include "reports/run_contents.hpp"

namespace reprise::benchmarks {
namespace {

reports::family_layout layout_of(const harness::family& f) {
  reports::family_layout layout{f.word, f.title, {}};
  for (const harness::experiment& e : f.experiments) layout.items.push_back(e.layout);
  return layout;
}

}  // namespace

std::vector<std::string> recorded_runs(const std::filesystem::path& home) {
  namespace fs = std::filesystem;
  std::vector<std::string> folders;
  std::error_code none;
  for (const auto& entry : fs::recursive_directory_iterator(home / "reports" / "recorded", none))
    if (entry.path().filename() == reports::description_name)
      folders.push_back(entry.path().parent_path().string());
  std::sort(folders.begin(), folders.end());
  return folders;
}

reports::material gather(const std::filesystem::path& home, const std::vector<std::string>& folders) {
  reports::material all;
  for (const std::string& folder : folders) all.runs.push_back(reports::read_run(folder));
  for (const harness::family& f : harness::families()) all.families.push_back(layout_of(f));
  all.published_dir = home / "reference" / "published";
  all.claims_dir = home / "reports" / "claims";
  all.derived_dir = home / "reports" / "derived";
  return all;
}

}  // namespace reprise::benchmarks
