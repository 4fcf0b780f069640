// SPDX-License-Identifier: MIT
// Tests fleets of generated nodes: slow, wrong and dead ones are found, and nodes
// that are only noisy are not.
#include "reports/fleet/fleet.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "reports/fleet/output.hpp"
#include "reports/fleet/report.hpp"
#include "verification/tests/support/made_up_run.hpp"

namespace {

using namespace reprise::reports;
using namespace reprise::testing;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::WithinRel;

struct made_up_node {
  std::string name;
  double slowness{1};
  double noise{.02};  // of a process: common to all samples of a case
  std::size_t cases{20};
  bool is_finished{true};
  std::string device{"EPYC"};
};

// A run whose cases last a second or more. Samples of one process differ less than processes do.
run run_of(const made_up_node& node, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  run r;
  r.folder = node.name;
  *r.description = {
      {"name", node.name}, {"host", node.name}, {"devices", {{{"id", "cpu"}, {"name", node.device}}}}};
  if (node.is_finished) (*r.description)["finished"] = "2026-01-01T00:00:00Z";
  for (std::size_t i = 0; i < node.cases; ++i) {
    const double level =
        node.slowness * (1 + .1 * static_cast<double>(i)) * std::exp(node.noise * normal(random));
    auto one = a_row("table4", "cpu_interleaved", "cpu", std::to_string(8 * (i + 1)) + "x8", level);
    one.run = node.name;
    r.rows.push_back(one);
    for (int k = 0; k < 10; ++k) {
      r.samples.push_back({one, one.run, k, level * std::exp(.2 * node.noise * normal(random))});
    }
  }
  return r;
}

std::vector<run> runs_of(const std::vector<made_up_node>& nodes, unsigned seed = 1) {
  std::vector<run> runs;
  for (const auto& n : nodes) runs.push_back(run_of(n, seed++));
  return runs;
}

std::vector<made_up_node> alike(std::size_t count, double noise = .02) {
  std::vector<made_up_node> nodes;
  for (std::size_t i = 0; i < count; ++i) nodes.push_back({.name = "n" + std::to_string(i), .noise = noise});
  return nodes;
}

fleet_report report_on(std::vector<run> runs, const std::vector<case_noise>& noise = {}) {
  fleet_report report{make_fleet(std::move(runs)), {}, {}};
  report.speeds = compare_nodes(report.of, noise);
  return report;
}

std::vector<std::string> slow_nodes(const fleet_report& report) {
  std::vector<std::string> names;
  for (const auto& s : report.speeds) {
    if (s.change() == speed_change::slower) names.push_back(report.of.nodes[s.node].name);
  }
  return names;
}

double beyond_floor(const speed_result& f) {
  return f.between->estimate - f.floor.shift;
}

void make_wrong(run& r, std::size_t at) {
  r.rows[at].status = "failed";
  r.rows[at].value = no_value;
  r.rows[at].reason = "max_relative_error 3 where 1e-6 is allowed";
}

}  // namespace

TEST_CASE("a node that is 20 % slower is found, with the rows that say so") {
  for (unsigned seed = 0; seed < 50; ++seed) {
    auto nodes = alike(5);
    nodes[3].slowness = 1.2;
    const auto report = report_on(runs_of(nodes, 100 * seed));
    INFO("seed " << seed);
    REQUIRE(slow_nodes(report) == std::vector<std::string>{"n3"});
    const auto& s = *report.speeds_of(3).front();
    CHECK(s.device == "EPYC");
    CHECK(s.timings.size() == 20);
    CHECK(s.count(speed_change::slower) >= 10);
    CHECK_THAT(percent(s.middle), WithinRel(20, .2));
    CHECK(beyond_floor(s.timings.front()) >= beyond_floor(s.timings.back()));
    CHECK(report.states_of(3) == std::vector<std::string>{"slower"});
    CHECK(report.has_slower());
    CHECK_THAT(to_text(report), ContainsSubstring("SLOWER      n3 on EPYC: ") &&
                                    ContainsSubstring(" of 20 timings, all of them by +") &&
                                    ContainsSubstring("4 nodes are right, complete and as fast as others") &&
                                    ContainsSubstring("            jacobi/table4 cpu_interleaved EPYC"));
  }
}

TEST_CASE("of nodes that only make noise at most one in a hundred fleets has one called slower") {
  for (const double noise : {.005, .02, .04}) {
    for (const std::size_t count : {3, 6, 20}) {
      int called = 0;
      for (unsigned seed = 0; seed < 100; ++seed) {
        called += report_on(runs_of(alike(count, noise), 1000 * seed)).has_slower() ? 1 : 0;
      }
      INFO("noise " << noise << ", " << count << " nodes");
      CHECK(called <= 1);
    }
  }
}

TEST_CASE("slow nodes do not hide each other while fewer than half are slow") {
  auto nodes = alike(9, .01);
  for (const std::size_t i : {1, 4, 5}) nodes[i].slowness = 1.3;
  CHECK(slow_nodes(report_on(runs_of(nodes))) == std::vector<std::string>{"n1", "n4", "n5"});
}

TEST_CASE("one odd timing of many makes no slow node") {
  auto runs = runs_of(alike(5, .005));
  for (auto& s : runs[2].samples) {
    if (s.size == "80x8") s.value *= 2;
  }
  const auto report = report_on(std::move(runs));
  CHECK(report.speeds_of(2).front()->count(speed_change::slower) == 1);
  CHECK(slow_nodes(report).empty());
}

TEST_CASE("a process that was slow for a while makes no slow node") {
  auto runs = runs_of(alike(5, 0));
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (auto& s : runs[i].samples) {
      if (s.index < 4) s.value *= i == 2 ? 7 : .5;
      if (i == 2) s.value *= 1.01;
    }
  }
  const auto report = report_on(std::move(runs));
  CHECK(report.speeds_of(2).front()->timings.front().between->estimate > default_floor);
  CHECK(slow_nodes(report).empty());
}

TEST_CASE("disturbed times make no node slow") {
  auto nodes = alike(5);
  nodes[3].slowness = 2;
  auto runs = runs_of(nodes);
  for (auto& r : runs[3].rows) r.status = "disturbed";
  CHECK(slow_nodes(report_on(runs)).empty());
}

TEST_CASE("what nodes differ by among themselves raises the floor, and what was learned lowers it") {
  auto restless = alike(6, .2);
  restless[0].slowness = 1.2;
  CHECK(slow_nodes(report_on(runs_of(restless))).empty());

  auto quiet = alike(6, .001);
  quiet[0].slowness = 1.05;
  CHECK(slow_nodes(report_on(runs_of(quiet))).empty());
  const auto noise = learn_noise(runs_of(alike(10, .001), 77));
  CHECK(slow_nodes(report_on(runs_of(quiet), noise)) == std::vector<std::string>{"n0"});
}

TEST_CASE("of two nodes none is called slow") {
  auto nodes = alike(2);
  nodes[0].slowness = 2;
  const auto report = report_on(runs_of(nodes));
  CHECK(report.speeds.empty());
  CHECK(report.states_of(0) == std::vector<std::string>{"not compared"});
  CHECK_THAT(to_text(report), ContainsSubstring("cannot be told from 2 right nodes: 3 are needed"));
}

TEST_CASE("a node with a wrong answer is named and none of its numbers counts") {
  auto nodes = alike(4, 0);
  nodes[0].slowness = 9;
  auto runs = runs_of(nodes);
  make_wrong(runs[0], 5);
  const auto report = report_on(std::move(runs));

  CHECK(report.has_wrong());
  CHECK_FALSE(report.has_slower());
  CHECK(report.speeds_of(0).empty());
  const auto typical = typical_run(report.of, report.of.types[0]);
  CHECK_THAT(typical.rows.front().value, WithinRel(2.2, 1e-9));  // of 104x8, the first by name
  CHECK(typical.rows.front().samples == 3);
  CHECK_THAT(medians_csv(report), !ContainsSubstring("n0,type 1"));
  CHECK_THAT(to_text(report), ContainsSubstring("WRONG       n0: 1 case; the node is left out") &&
                                  ContainsSubstring("48x8: max_relative_error 3 where 1e-6"));
}

TEST_CASE("a node that died is named with what is missing") {
  auto nodes = alike(4);
  nodes[1].is_finished = false;
  nodes[1].cases = 13;
  const auto report = report_on(runs_of(nodes));

  CHECK(report.is_incomplete());
  CHECK_FALSE(report.has_slower());
  const auto& i = report.of.nodes[1].interruptions.at(0);
  CHECK(i.cases == 13);
  CHECK(i.missing == std::map<std::string, std::size_t, std::less<>>{{"jacobi/table4", 7}});
  CHECK_THAT(to_text(report),
             ContainsSubstring("INCOMPLETE  n1: the run ended after 13 cases; missing: 7 of jacobi/table4") &&
                 ContainsSubstring("--resume --out n1"));
  CHECK_THAT(nodes_csv(report), ContainsSubstring("n1,type 1,EPYC,incomplete,1,1,7,0,13,"));
}

TEST_CASE("nothing is missing of what a run was not asked for, and nobody knows where nobody finished") {
  auto nodes = alike(2);
  nodes[0].is_finished = false;
  nodes[0].cases = 13;
  auto runs = runs_of(nodes);
  (*runs[0].description)["request"] = {{"experiments", {"tissue/*"}}};
  CHECK(make_fleet(runs).nodes[0].interruptions.at(0).missing.empty());

  (*runs[1].description).erase("finished");
  const auto report = report_on(std::move(runs));
  CHECK_THAT(to_text(report), ContainsSubstring("no finished node of its type tells what is missing"));
}

TEST_CASE("nodes of other devices are another type") {
  auto nodes = alike(7);
  for (const std::size_t i : {4, 5, 6}) {
    nodes[i].device = "Xeon";
    nodes[i].slowness = 3;
  }
  const auto report = report_on(runs_of(nodes));
  REQUIRE(report.of.types.size() == 2);
  CHECK(report.of.types[0].devices == "EPYC");
  CHECK(report.of.types[1].nodes == std::vector<std::size_t>{4, 5, 6});
  CHECK_FALSE(report.has_slower());
  CHECK_THAT(typical_run(report.of, report.of.types[1]).rows.front().value, WithinRel(6.6, .1));
}

TEST_CASE("the runs of a node are told by its name, and boards by how many there are") {
  auto runs = runs_of(alike(2));
  for (auto& r : runs) {
    (*r.description)["host"] = "container";
    (*r.description)["node"] = "node7";
    (*r.description)["hardware_threads"] = 16;
    (*r.description)["devices"] = {{{"id", "cpu"}, {"name", "EPYC"}},
                                   {{"id", "cuda:0"}, {"name", "H200"}},
                                   {{"id", "cuda:1"}, {"name", "H200"}},
                                   {{"id", "opengl:0"}, {"name", "H200/PCIe"}}};
  }
  const auto found = make_fleet(runs);
  REQUIRE(found.nodes.size() == 1);
  CHECK(found.nodes[0].name == "node7");
  CHECK(found.nodes[0].runs.size() == 2);
  CHECK(found.types[0].devices == "2 x H200, EPYC, 16 threads");
  CHECK(found.nodes[0].medians.front().samples == 2);
}
