// SPDX-License-Identifier: MIT
// Tests that the claims that come with the program name only things that exist: the papers' experiments,
// variants, metrics explained in docs/measuring.md and written by the experiment, parameters of planned cases, and
// printed rows; that no earlier claim is lost; and that every result stated in a paper has a claim or a reason.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "benchmarks/commands/gather.hpp"
#include "benchmarks/harness/experiment.hpp"
#include "reports/accuracy/baseline.hpp"
#include "reports/judging/assessment.hpp"
#include "reports/store/glob.hpp"
#include "verification/tests/support/source_dir.hpp"
#include "verification/tests/support/temporary_folder.hpp"

namespace {

using namespace reprise;
using namespace reprise::reports;
using reprise::testing::text_in;

const std::filesystem::path home = testing::source_dir();

std::set<std::string> parts_of(const std::string& parameter) {
  std::set<std::string> parts;
  std::istringstream in(parameter);
  for (std::string part; std::getline(in, part, ';');) parts.insert(part);
  return parts;
}

// The metrics that docs/measuring.md explains for a family, as shell globs.
std::vector<std::string> explained_metrics(const std::string& word) {
  const std::string text = text_in(home / "docs/measuring.md");
  const auto from = text.find("## Metrics of `" + word + "`");
  REQUIRE(from != std::string::npos);
  const auto section = text.substr(from, text.find("\n## ", from) - from);
  std::vector<std::string> metrics;
  static const std::regex line("\n\\|([^|]*)\\|");
  static const std::regex name("`([^`]+)`");
  for (std::sregex_iterator l(section.begin(), section.end(), line), none; l != none; ++l) {
    const std::string cell = (*l)[1];
    for (std::sregex_iterator n(cell.begin(), cell.end(), name); n != none; ++n) metrics.push_back((*n)[1]);
  }
  return metrics;
}

// The parts of parameters in the recorded runs of each family: derived rows may have others than the cases of any plan, such as the
// number of a switch's derivatives in place of its name.
const std::map<std::string, std::set<std::string>>& recorded_parts() {
  static const auto all = [] {
    std::map<std::string, std::set<std::string>> parts;
    for (const auto& folder : benchmarks::recorded_runs(home))
      for (const auto& r : read_run(folder).rows)
        if (r.status == "ok") parts[std::string(family_of(r.experiment))].merge(parts_of(r.parameter));
    return parts;
  }();
  return all;
}

// What a family can measure, taken from its plans and its recorded runs.
class possible {
 public:
  explicit possible(const harness::family& f) : word_(f.word), metrics_(explained_metrics(f.word)) {
    for (const auto& e : f.experiments) {
      experiments_.insert(std::string(short_name(e.layout.id)));
      for (const auto level : {harness::preset::smoke, harness::preset::quick, harness::preset::paper})
        for (const auto& plan : e.plan({.level = level})) {
          variants_.insert({std::string(short_name(e.layout.id)), std::string(short_name(plan.variant))});
          parts_.merge(parts_of(plan.parameter));
        }
    }
    const auto from = benchmarks::gather(home, {});
    for (const auto& r : read_rows(from.published_dir / (f.word + ".csv")))
      parts_.merge(parts_of(r.parameter));
    if (const auto recorded = recorded_parts().find(f.word); recorded != recorded_parts().end())
      parts_.insert(recorded->second.begin(), recorded->second.end());
  }

  // The first thing that a selector of measured rows names but that does not exist; empty if all exists.
  std::string unknown_in(const selector& s) const {
    const auto experiment = std::string(short_name(s.experiment));
    if (!experiment.empty() && !experiments_.contains(experiment)) return "experiment " + experiment;
    const bool has_variant = std::any_of(variants_.begin(), variants_.end(), [&](const auto& known) {
      return (experiment.empty() || known.first == experiment) && matches_glob(s.variant, known.second);
    });
    if (!has_variant) return "variant " + s.variant;
    if (!s.metric.empty() && std::none_of(metrics_.begin(), metrics_.end(), [&](const std::string& known) {
          return matches_glob(known, s.metric);
        }))
      return "metric " + s.metric;
    for (const auto& part : parts_of(s.parameter))
      if (!parts_.contains(part)) return "parameter " + part;
    return {};
  }

 private:
  std::string word_;
  std::set<std::string> experiments_, parts_;
  std::set<std::pair<std::string, std::string>> variants_;
  std::vector<std::string> metrics_;
};

// Things that the papers' claims need and that no file here measures.
const std::set<std::string> known_gaps{"angiogenesis: variant amgx_gmres"};  // an optional library

std::vector<selector> measured_selectors(const claim& c) {
  std::vector<selector> all;
  for (const auto& part : c.parts)
    for (const auto& s : part.expression.selectors)
      if (!s.published) all.push_back(s);
  return all;
}

// The metrics that each experiment is known to write: those of its layout, and of all recorded runs and the baseline.
class written_metrics {
 public:
  written_metrics() {
    for (const auto& f : harness::families())
      for (const auto& e : f.experiments)
        for (const auto& metric : e.layout.metrics) known_.insert({e.layout.id, metric});
    for (const auto& folder : benchmarks::recorded_runs(home))
      for (const auto& r : read_run(folder).rows) known_.insert({r.experiment, r.metric});
    for (const auto& r : read_baseline(home / "reports/baseline/cpu-smoke.csv"))
      known_.insert({r.experiment, r.metric});
  }

  bool has(const std::string& word, const std::string& experiment, const std::string& metric) const {
    return known_.contains({word + "/" + experiment, metric});
  }

 private:
  std::set<std::pair<std::string, std::string>> known_;
};

// Metrics of experiments that no recorded run has yet, with the reason why they are written.
const std::set<std::string> not_yet_recorded{"curvature/table8 area_at_0.025",  // solve::results
                                             "curvature/table8 area_at_0.1"};

// Whether the claim's command sets this parameter, "parameter dt=0.1" by "--set dt=0.1".
bool is_set_by_command(const claim& c, std::string_view unknown) {
  constexpr std::string_view kind = "parameter ";
  return unknown.starts_with(kind) &&
         c.decided_by.find(fmt::format("--set {} ", unknown.substr(kind.size()))) != std::string::npos;
}

// Metrics of a solve, which every experiment of the family with solves writes.
const std::map<std::string, std::set<std::string>> of_every_solve{
    {"atrium", {"curve_relative"}}, {"jacobi", {"max_relative_error"}}, {"angiogenesis", {"time_part"}}};

// The lines of a table of the ledger, without the header.
std::vector<std::vector<std::string>> lines_of(const std::filesystem::path& file) {
  std::vector<std::vector<std::string>> lines;
  for (const auto& line :
       csv::parse(file, text_in(file), std::array<std::string_view, 4>{"id", "new", "how", "why"}))
    lines.push_back({line.fields.begin(), line.fields.end()});
  return lines;
}

// All ids: WORD/CLAIM, WORD/beyond/CLAIM of ours, and those of derived cells.
struct ledger {
  std::set<std::string> claims, cells;

  ledger() {
    const auto from = benchmarks::gather(home, {});
    for (const auto& family : from.families) {
      for (const auto& c : claims_of(from.claims_dir, family))
        claims.insert(family.word + (c.kind == claim_class::beyond ? "/beyond/" : "/") + c.id);
      const auto derived = file_of(from.derived_dir, family);
      if (!std::filesystem::exists(derived)) continue;
      for (const auto& cell : read_derived(derived)) cells.insert(family.word + "/" + cell.id);
    }
  }

  bool has_cell(const std::string& word, const std::string& glob) const {
    return std::ranges::any_of(cells, [&](const auto& id) { return matches_glob(word + "/" + glob, id); });
  }
};

selector only_selector_in(const std::string& quantity) {
  return parse_quantity(quantity, {"made up", 1}).selectors.at(0);
}

}  // namespace

TEST_CASE("every claim names experiments, variants, metrics and parameters that exist") {
  const auto from = benchmarks::gather(home, {});
  for (const auto& family : from.families) {
    const possible known(*harness::find_family(family.word));
    const auto claims = claims_of(from.claims_dir, family);
    // A family of experiments with other papers' variants has no paper, hence no claims.
    CHECK(claims.empty() == harness::variants_of(family.word).empty());
    for (const auto& c : claims)
      for (const auto& s : measured_selectors(c)) {
        INFO(family.word << "/" << c.id << ": {" << s.text << "}");
        const auto unknown = known.unknown_in(s);
        // What no file here measures needs the file's name and the command.
        if (known_gaps.contains(family.word + ": " + unknown)) {
          CHECK(c.decided_by.starts_with("add a variant solvers/" + family.word));
        } else if (!is_set_by_command(c, unknown)) {
          CHECK(unknown == "");
        }
      }
  }
}

TEST_CASE("every printed row that a claim or a derived cell rests on exists") {
  const auto from = benchmarks::gather(home, {});
  for (const auto& family : from.families) {
    const auto paper = read_printed(file_of(from.published_dir, family));
    CHECK_NOTHROW(assess(from, family, paper));  // throws for a selector without a printed row
  }
}

TEST_CASE("a claim that names something else is found") {
  const possible known(*harness::find_family("tissue"));
  const auto unknown = [&](const std::string& quantity) {
    return known.unknown_in(only_selector_in(quantity));
  };

  CHECK(
      unknown("{cuda_fused@256x256:time_ratio,experiment=fig4,parameter=model=karma;method=heun;dt=0.01}") ==
      "");
  CHECK(unknown("{cuda_fused@256x256:time_ratio,experiment=fig44}") == "experiment fig44");
  CHECK(unknown("{cuda_fusd@256x256:time_ratio,experiment=fig4}") == "variant cuda_fusd");
  CHECK(unknown("max({cuda_x*@256x256:time_ratio})") == "variant cuda_x*");
  CHECK(unknown("{cuda_fused@256x256:time_ration}") == "metric time_ration");
  CHECK(unknown("{cuda_fused@256x256:time_ratio,parameter=model=karmas}") == "parameter model=karmas");
}

TEST_CASE("every metric that a claim needs is written by the experiment that it names") {
  const written_metrics written;
  const auto from = benchmarks::gather(home, {});
  for (const auto& family : from.families)
    for (const auto& c : claims_of(from.claims_dir, family))
      for (const auto& s : measured_selectors(c)) {
        if (c.decided_by.starts_with("add a variant")) continue;
        const auto metric = s.metric.empty() ? usual_metric(family) : s.metric;
        const auto experiment = std::string(short_name(s.experiment));
        INFO(family.word << "/" << c.id << ": {" << s.text << "}");
        CHECK_FALSE(experiment.empty());
        const auto solves = of_every_solve.find(family.word);
        const bool is_of_solves = solves != of_every_solve.end() && solves->second.contains(metric);
        if (!is_of_solves && !not_yet_recorded.contains(family.word + "/" + experiment + " " + metric))
          CHECK(written.has(family.word, experiment, metric));
      }
}

TEST_CASE("every selector of a claim stands for one reading of the recorded cases") {
  std::vector<run> runs;
  for (const auto& folder : benchmarks::recorded_runs(home)) runs.push_back(read_run(folder));
  const auto from = benchmarks::gather(home, {});
  for (const auto& family : from.families) {
    const std::string metric = usual_metric(family);
    const evidence known{family.word, metric, runs, {}};
    for (const auto& c : claims_of(from.claims_dir, family))
      for (const auto& s : measured_selectors(c)) {
        INFO(family.word << "/" << c.id);
        CHECK(open_choice(s, known) == "");
        if (select(s, known).empty())
          CHECK(why_nothing(s, row_without_number(s, known), known).find("only rows with a parameter") ==
                std::string::npos);
      }
  }
}

TEST_CASE("every bound belongs to a claim") {
  const auto from = benchmarks::gather(home, {});
  std::set<std::string> used;
  for (const auto& family : from.families)
    for (const auto& c : claims_of(from.claims_dir, family))
      for (const auto& b : {c.limit, c.partly})
        if (b) used.insert(b->id);
  for (const auto& [id, b] : read_bounds(from.claims_dir / bounds_name)) {
    INFO(id);
    CHECK(used.contains(id));
    CHECK_FALSE(b.sentence.empty());
    CHECK_FALSE(b.reason.empty());
  }
}

TEST_CASE("a conflict names the two places that it sets against each other") {
  const auto from = benchmarks::gather(home, {});
  for (const auto& family : from.families)
    for (const auto& c : claims_of(from.claims_dir, family)) {
      if (c.kind != claim_class::arithmetic) continue;
      INFO(family.word << "/" << c.id << ": " << c.place);
      CHECK((c.place.find(" against ") != std::string::npos || c.place.find(',') != std::string::npos));
    }
}

TEST_CASE("each paper has four to six headlines, and claims of ours are kept apart") {
  const auto from = benchmarks::gather(home, {});
  for (const auto& family : from.families) {
    const auto own = file_of(from.claims_dir, family);
    const auto known = read_bounds(from.claims_dir / bounds_name);
    std::set<int> headlines;
    for (const auto& c : read_claims(own, known)) {
      CHECK(c.kind != claim_class::beyond);
      if (c.headline > 0) headlines.insert(c.headline);
    }
    INFO(family.word);
    if (harness::variants_of(family.word).empty()) continue;
    CHECK(headlines.size() >= 4);
    CHECK(headlines.size() <= 6);
    for (const auto& c : read_claims(file_of(from.claims_dir / "beyond", family), known))
      CHECK(c.kind == claim_class::beyond);
  }
}

TEST_CASE("no earlier claim is lost: each has a new id, a derived cell, or a reason why it was dropped") {
  const ledger now;
  std::set<std::string> old;
  for (const auto& line : lines_of(home / "reports/claims/renamed.csv")) {
    const auto& [id, next, how, why] = std::tie(line[0], line[1], line[2], line[3]);
    INFO(id << " -> " << next);
    CHECK(old.insert(id).second);
    const auto word = id.substr(0, id.find('/'));
    if (next.empty()) {
      CHECK(how == "dropped");
      CHECK_FALSE(why.empty());
    } else if (next.starts_with("derived:")) {
      CHECK(now.has_cell(word, next.substr(8)));
    } else {
      CHECK(now.claims.contains(next));
    }
  }
  CHECK(old.size() >= 722);  // lines are added and never taken away
}

TEST_CASE("every result that a paper states has a claim that exists, or a reason why it has none") {
  const ledger now;
  for (const auto& family : benchmarks::gather(home, {}).families) {
    const auto file = home / "reports/claims/sentences" / (family.word + ".csv");
    if (harness::variants_of(family.word).empty()) continue;
    const std::array<std::string_view, 5> columns{"id", "place", "says", "claim", "why_none"};
    for (const auto& line : csv::parse(file, text_in(file), columns)) {
      const auto& f = line.fields;
      INFO(f[0] << ": " << f[2]);
      CHECK(f[3].empty() != f[4].empty());
      if (!f[3].empty()) CHECK(now.claims.contains(family.word + "/" + f[3]));
    }
  }
}

TEST_CASE("each metric of a claim is known to depend on time, or not to") {
  const std::set<std::string> answers{"accepted_steps",
                                      "area_at_0.025",
                                      "area_at_0.1",
                                      "area_end",
                                      "attempted_steps",
                                      "condition",
                                      "curve_relative",
                                      "departure_u",
                                      "derivative_error",
                                      "eoc_l1",
                                      "eoc_l2",
                                      "eoc_linf",
                                      "error_exponent",
                                      "error_floor",
                                      "error_l1",
                                      "error_l2",
                                      "error_linf",
                                      "error_over_double",
                                      "error_u",
                                      "evaluations_saved",
                                      "iterations",
                                      "largest_stable_dt",
                                      "launches_per_step",
                                      "lrel_error",
                                      "mass_defect",
                                      "mass_difference",
                                      "max_relative_error",
                                      "occupancy",
                                      "order",
                                      "order_gates",
                                      "order_halving",
                                      "order_halving_mean",
                                      "order_space",
                                      "order_time",
                                      "order_voltage",
                                      "reached",
                                      "relative_error",
                                      "rhs_evaluations",
                                      "row_swaps",
                                      "rrms",
                                      "u_max",
                                      "u_min",
                                      "willmore_energy_end"};
  const auto from = benchmarks::gather(home, {});
  for (const auto& family : from.families)
    for (const auto& c : claims_of(from.claims_dir, family))
      for (const auto& s : measured_selectors(c)) {
        const auto metric = s.metric.empty() ? usual_metric(family) : s.metric;
        INFO(family.word << "/" << c.id << ": " << metric);
        CHECK(depends_on_time(metric) != answers.contains(metric));
      }
}
