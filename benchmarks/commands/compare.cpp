// SPDX-License-Identifier: MIT
// Makes a comparison and prints it.
#include "benchmarks/commands/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <set>
#include <string_view>

#include "benchmarks/commands/draw.hpp"
#include "benchmarks/commands/fail_on.hpp"
#include "benchmarks/commands/gather.hpp"
#include "benchmarks/commands/share.hpp"
#include "benchmarks/harness/experiment.hpp"
#include "benchmarks/harness/rederive.hpp"
#include "reports/compare/comparison.hpp"
#include "reports/compare/likeness.hpp"
#include "reports/compare/noise.hpp"
#include "reports/compare/speed.hpp"
#include "reports/compare/summary.hpp"
#include "reports/compare/years.hpp"
#include "reports/store/files.hpp"
#include "reports/store/replaceable.hpp"
#include "reports/text/wrapped.hpp"
#include "solvers/common/base/error.hpp"

namespace reprise::benchmarks {
namespace {

using reports::compared;
using reports::speed_change;

constexpr auto page_name = "comparison.json";
constexpr std::array<std::string_view, 4> concern_names{"nothing", "slower", "wrong", "any"};

bool is_comparison(const nlohmann::json& document) {
  return document.contains("papers") && document.contains("boards") && document.contains("remarks");
}

void require_usable(const std::filesystem::path& out, const std::vector<compared>& all) {
  std::vector<std::filesystem::path> runs;
  for (const compared& c : all)
    for (const auto& run : c.runs)
      if (!c.is_paper) runs.push_back(run.folder);
  reports::require_replaceable(out, {"comparison", page_name, is_comparison}, runs);
}

reports::comparison_sources sources_with(const std::string& glob, const std::filesystem::path& home) {
  auto from = comparison_sources_below(home);
  bool has_any = false;
  for (const reports::family_layout& family : from.families)
    for (const reports::layout& item : family.items) has_any = has_any || harness::matches(glob, item.id);
  if (!has_any) throw bad_input("no experiment is called '" + glob + "': `reprise list` lists them");
  return from;
}

std::vector<compared> read_all(const compare_request& request, const reports::comparison_sources& from,
                               std::ostream& out) {
  std::vector<compared> all;
  for (const std::string& name : request.names) {
    all.push_back(reports::read_compared(name, from));
    bool has_older_rules = false;
    for (auto& run : all.back().runs) {
      for (const std::string& warning : run.warnings) out << name << ": " << warning << '\n';
      if (!all.back().is_paper && !harness::rederive(run).empty()) has_older_rules = true;
      if (!all.back().is_paper && !reports::is_finished(run))
        out << reports::wrapped(fmt::format("{}: unfinished, so cases and faster variants may be missing\n",
                                            run.folder.string()));
    }
    if (has_older_rules)
      out << reports::wrapped(
          fmt::format("{}: rows of older rules are left out; `reprise report` names them\n", name));
  }
  return all;
}

void learn_floor(const std::vector<compared>& all, const compare_request& request, std::ostream& out) {
  std::vector<reports::run> runs;
  for (const compared& c : all) {
    if (c.is_paper) throw bad_input(c.name + ": a paper's board has no noise: give runs of this machine");
    runs.insert(runs.end(), c.runs.begin(), c.runs.end());
  }
  const auto noise = reports::learn_noise(runs);
  reports::write_text(request.floor, reports::to_csv(noise));
  double highest = 0;
  const reports::noise_floors floors(noise, noise.size());
  for (const auto& n : noise) highest = std::max(highest, floors.of(n.of).shift);
  out << fmt::format(
      "noise of {} cases in {}; when all are compared at once, the highest floor is {:.1f} %\n", noise.size(),
      request.floor.string(), reports::percent(highest));
}

// Compares the times of two runs. Empty unless there are exactly two runs with timings of
// the same cases on one device.
std::optional<reports::speed_comparison> speeds(const std::vector<compared>& all,
                                                const compare_request& request) {
  const bool are_two_runs = all.size() == 2 && all[0].runs.size() == 1 && all[1].runs.size() == 1 &&
                            !all[0].is_paper && !all[1].is_paper;
  if (!are_two_runs) return std::nullopt;
  const auto noise =
      request.noise.empty() ? std::vector<reports::case_noise>{} : reports::read_noise(request.noise);
  auto c = reports::compare_speed(all[0].runs[0], all[1].runs[0], noise);
  if (c.results.empty()) return std::nullopt;
  return c;
}

// Separate runs cannot show a difference below the noise between runs, however small the one that was asked for.
void say_what_noise_hides(const reports::speed_comparison& c, const compare_request& request,
                          std::ostream& out) {
  const double asked = std::log1p(parse_share("--margin", request.margin));
  double highest = 0;
  long hidden = 0;
  for (const reports::speed_result& f : c.results) {
    highest = std::max(highest, f.floor.shift);
    hidden += f.floor.shift > asked;
  }
  if (hidden > 0)
    out << reports::wrapped(
        fmt::format("The noise floor of {} of {} cases is above the {:.3g} % that was asked for (--margin), "
                    "up to {:.1f} %: "
                    "use `reprise duel A B`, which times both programs side by side.\n",
                    hidden, c.results.size(), reports::percent(asked), reports::percent(highest)));
}

void print_speeds(const reports::speed_comparison& c, const compare_request& request, std::ostream& out) {
  out << reports::wrapped(fmt::format("Speed of {} relative to {}; only differences are listed:\n",
                                      request.names[1], request.names[0]))
      << reports::to_text(c, false);
  if (request.noise.empty())
    out << reports::wrapped(fmt::format(
        "No noise was given: the default floor of {:.1f} % applies. `reprise compare --floor FILE` "
        "measures this machine's from {} or more runs.\n",
        reports::percent(reports::default_floor), reports::fewest_noise_runs));
  say_what_noise_hides(c, request, out);
}

std::string summary_of(const reports::device_comparison& devices, const reports::comparison_sources& from) {
  const auto papers = reports::summarise(devices.times, devices.columns, devices.claims, from.main_cases);
  std::set<std::string> others;  // with numbers of two items, but no summary
  for (const auto& t : devices.tables) {
    const std::string word(reports::family_of(t.id));
    if (reports::owners_of(t, devices.columns).size() > 1 &&
        !std::ranges::count(papers, word, &reports::paper_summary::word))
      others.insert(word);
  }
  auto text = reports::to_text(papers, devices.columns);
  for (const auto& word : others) {
    const bool has_main_case = std::ranges::count(from.main_cases, word, &reports::main_case::id) > 0;
    text +=
        reports::wrapped(fmt::format("{}: {}; --full prints its tables.\n", word,
                                     has_main_case ? "no two of them have a time of its whole work"
                                                   : "has no case that stands for the whole, so no summary"));
  }
  return text.empty() ? "No two of them have a number of the same table.\n" : text;
}

outcome outcome_of(const reports::speed_comparison& c, fail_on concern) {
  const bool any = concern == fail_on::any;
  if ((any || concern == fail_on::wrong) && c.count(speed_change::wrong) > 0) return outcome::wrong;
  if ((any || concern == fail_on::slower) && c.count(speed_change::slower) > 0) return outcome::slower;
  return any && c.count(speed_change::undecided) > 0 ? outcome::undecided : outcome::good;
}

}  // namespace

fail_on parse_fail_on(const std::string& name) {
  return fail_on_named<fail_on>(concern_names, name);
}

outcome compare(const compare_request& request, const std::filesystem::path& home, std::ostream& out) {
  const auto from = sources_with(request.experiments, home);
  const auto all = read_all(request, from, out);
  parse_share("--margin", request.margin);
  if (all.size() < 2) throw bad_input("one run cannot be compared: name two or more");
  const reports::comparison_scope scope{request.experiments, from.families};
  reports::require_alike(all, request.vary, scope);
  if (!request.out.empty()) require_usable(request.out, all);
  if (!request.floor.empty()) {
    learn_floor(all, request, out);
    return outcome::good;
  }
  const auto speed = speeds(all, request);
  if (!speed && (request.concern != fail_on::nothing || !request.noise.empty()))
    throw bad_input("--fail-on and --noise need two runs that timed the same cases on one device");

  const bool any_precision = std::ranges::find(request.vary, "precision") != request.vary.end();
  const auto remarks = reports::other_differences(all, scope);
  for (const std::string& line : remarks) out << reports::wrapped(line) << '\n';
  const auto devices = reports::compare_devices(all, from, request.experiments, any_precision);
  const auto summary = summary_of(devices, from);
  out << '\n' << summary;
  if (request.experiments != "*")
    out << reports::wrapped(
        "Conclusions and differences between the machines are those of whole runs, not only of "
        "what --only chose.\n");
  std::vector<reports::table> tables;
  if (request.is_full || !request.out.empty()) tables = reports::to_tables(devices);
  if (request.is_full)
    for (const auto& t : tables) out << reports::to_text(t) << '\n';
  else
    out << "--full prints all tables, with ratios.\n";
  if (speed)
    print_speeds(*speed, request, out);
  else
    out << reports::wrapped(
        "No verdicts on speed: they need two runs that timed the same cases on one device.\n");
  if (!request.out.empty()) {
    auto page = reports::years_of(devices, from);
    page["summary"] = summary;
    page["remarks"] = remarks;
    reports::make_folders(request.out);
    // Written first, so that after a kill the folder is recognised as a comparison and can be overwritten.
    reports::write_text(request.out / page_name, reports::to_text(page));
    reports::write_tables(request.out, tables);
    std::error_code code;  // of an earlier comparison, which compared other runs
    std::filesystem::remove(request.out / "speed.csv", code);
    if (speed) reports::write_text(request.out / "speed.csv", reports::to_csv(*speed));
  }
  return speed ? outcome_of(*speed, request.concern) : outcome::good;
}

outcome compare_and_draw(const compare_request& request, const std::filesystem::path& home,
                         std::ostream& out) {
  const auto found = compare(request, home, out);
  if (!request.out.empty() && request.floor.empty()) {
    draw(request.out, home);
    out << "comparison in " << request.out.string() << '\n';
  }
  return found;
}

}  // namespace reprise::benchmarks
