// SPDX-License-Identifier: MIT
// Tests that the claims that come with the program name only things that exist: the papers' experiments,
// variants, metrics explained in docs/measuring.md, parameters of planned cases, and printed rows.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "benchmarks/commands/gather.hpp"
#include "benchmarks/harness/experiment.hpp"
#include "reports/judging/assessment.hpp"
#include "reports/store/glob.hpp"
#include "verification/tests/support/temporary_folder.hpp"

namespace {

using namespace reprise;
using namespace reprise::reports;
using reprise::testing::text_in;

const std::filesystem::path home = REPRISE_SOURCE_DIR;

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

// What a family can measure, taken from its plans.
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
const std::set<std::string> known_gaps{
    "angiogenesis: variant magma_lu",               // an optional library
    "angiogenesis: variant amgx_gmres",             // likewise
    "jacobi: variant opengl_luminance_symmetric"};  // the paper does not say how it was written

selector only_selector_in(const std::string& quantity) {
  return parse_quantity(quantity, {"made up", 1}).selectors.at(0);
}

}  // namespace

TEST_CASE("every claim names experiments, variants, metrics and parameters that exist") {
  const auto from = benchmarks::gather(home, {});
  for (const auto& family : from.families) {
    const possible known(*harness::find_family(family.word));
    const auto claims = read_claims(file_of(from.claims_dir, family));
    // A family of experiments with other papers' variants has no paper, hence no claims.
    CHECK(claims.empty() == harness::variants_of(family.word).empty());
    for (const auto& c : claims)
      for (const auto& s : c.expression.selectors) {
        if (s.published) continue;
        INFO(family.word << "/" << c.id << ": {" << s.text << "}");
        const auto unknown = known.unknown_in(s);
        if (!known_gaps.contains(family.word + ": " + unknown)) CHECK(unknown == "");
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
