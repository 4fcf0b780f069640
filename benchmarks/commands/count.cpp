// SPDX-License-Identifier: MIT
// Counts one build or two, and prints counts or their changes.
#include "benchmarks/commands/count.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string_view>
#include <utility>

#include "benchmarks/commands/share.hpp"
#include "benchmarks/harness/count/counter.hpp"
#include "benchmarks/harness/count/gate.hpp"
#include "benchmarks/harness/count/text.hpp"
#include "benchmarks/harness/run_request.hpp"
#include "reports/store/files.hpp"
#include "reports/store/json.hpp"
#include "solvers/common/base/error.hpp"
#include "solvers/common/base/host_processors.hpp"

namespace reprise::benchmarks {
namespace {

namespace fs = std::filesystem;

constexpr auto counts_name = "counts.json";

// Counting takes some fifty times as long as running. For papers whose smallest size of the preset is too large for that.
constexpr std::pair<std::string_view, std::string_view> small_sizes[]{{"jacobi", "64x64"}};

harness::run_request cases_of(const count_request& typed) {
  harness::run_request of;
  if (!typed.experiments.empty()) of.experiments = typed.experiments;
  of.device_glob = "cpu";  // CUDA variants are counted in emulation
  of.plan.level = harness::parse_preset(typed.preset);
  harness::add_sizes(of, typed.sizes);
  for (const std::string& text : typed.settings) of.plan.settings.insert(harness::parse_setting(text));
  of.choice = {typed.variants, typed.parameters, typed.precision};
  return of;
}

// One part for each paper, in which the paper's small size can stand.
std::vector<harness::run_request> parts_of(const harness::run_request& all) {
  std::map<std::string, harness::run_request> parts;
  for (const harness::experiment* e : harness::selected(all.experiments)) {
    const std::string word(reports::family_of(e->layout.id));
    const auto [part, is_new] = parts.try_emplace(word, all);
    if (is_new) part->second.experiments.clear();
    part->second.experiments.push_back(e->layout.id);
  }
  std::vector<harness::run_request> list;
  for (auto& [word, part] : parts) {
    if (part.plan.sizes.empty())
      for (const auto& [paper, size] : small_sizes)
        if (paper == word) part.plan.sizes.push_back(harness::parse_size(std::string(size)));
    list.push_back(std::move(part));
  }
  return list;
}

counting::count_request parsed(const count_request& typed) {
  counting::count_request request;
  request.of = parts_of(cases_of(typed));
  request.has_all = typed.has_all;
  if (typed.jobs < 0) throw bad_input("--jobs is a number of cases, 1 or more");
  request.at_once = typed.jobs > 0 ? std::min(typed.jobs, 256) : usable_processors();
  return request;
}

std::vector<std::string> words_of(const counting::count_request& request) {
  std::vector<std::string> words;
  for (const harness::run_request& part : request.of)
    for (const harness::family* f : families_of(part)) words.push_back(f->word);
  return words;
}

// The file of counts that `name` stands for; empty if it stands for a build.
fs::path counts_file(const std::string& name) {
  std::error_code code;
  if (fs::is_regular_file(fs::path(name) / counts_name, code)) return fs::path(name) / counts_name;
  return counting::is_counts_file(name) ? fs::path(name) : fs::path();
}

duels::contestant build_of(const std::string& name, const counting::count_request& request,
                           std::ostream& progress) {
  if (name.empty()) return {"this program", fs::read_symlink("/proc/self/exe")};
  return duels::find_contestant(name, words_of(request), progress);
}

counting::counts counts_of(const duels::contestant& build, const counting::count_request& request,
                           std::ostream& progress) {
  try {
    return counted(build, request, progress);
  } catch (const counting::uncountable& problem) {
    throw bad_input(problem.what());
  }
}

bool has_counted(const counting::counts& all) {
  return !all.kernels.kernels.empty() || std::ranges::any_of(all.cases, [](const auto& c) {
    return c.simulated || c.by_processor.missing.empty();
  });
}

outcome outcome_of(const counting::counts& all) {
  if (std::ranges::any_of(all.cases, [](const auto& c) { return !c.foul.empty(); })) return outcome::wrong;
  return has_counted(all) ? outcome::good : outcome::nothing_ran;
}

outcome outcome_of(const counting::comparison& all) {
  using counting::change;
  if (all.has(change::failed)) return outcome::wrong;
  if (all.has(change::grew) || !all.kernels.empty()) return outcome::slower;
  return all.has(change::not_judged) ? outcome::undecided : outcome::good;
}

void write(const fs::path& folder, const char* name, const std::string& text) {
  reports::make_folders(folder);
  reports::write_text(folder / name, text);
}

}  // namespace

outcome count(const count_request& typed, std::ostream& out, std::ostream& progress) {
  const counting::growth_rule rule{parse_share("--margin", typed.margin)};
  const counting::count_request request = parsed(typed);
  // What cannot be read or written is said before the minutes of counting.
  if (!typed.out.empty()) reports::make_folders(typed.out);
  const fs::path earlier = typed.against.empty() ? fs::path() : counts_file(typed.against);
  counting::counts before;
  if (!earlier.empty()) before = counting::read_counts(earlier);
  const duels::contestant build = build_of(typed.build, request, progress);
  if (!typed.against.empty() && earlier.empty()) try {
      before = counted(build_of(typed.against, request, progress), request, progress);
    } catch (const counting::uncountable& older) {
      out << "not judged: " << older.what() << '\n';
      return outcome::undecided;
    }
  const counting::counts now = counts_of(build, request, progress);
  if (!typed.out.empty()) write(typed.out, counts_name, reports::to_text(to_json(now)));
  if (typed.against.empty()) {
    out << (typed.as_json ? reports::to_text(to_json(now)) : to_text(now));
    return outcome_of(now);
  }
  const counting::comparison changes = compare(before, now, rule);
  out << (typed.as_json ? reports::to_text(to_json(changes)) : to_text(changes));
  if (!typed.out.empty()) {
    write(typed.out, "gate.json", reports::to_text(to_json(changes)));
    write(typed.out, "gate.md", to_markdown(changes));
  }
  return outcome_of(changes);
}

}  // namespace reprise::benchmarks
