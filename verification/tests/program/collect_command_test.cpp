// SPDX-License-Identifier: MIT
// Tests `reprise collect` on generated runs on disk: its outcome, its files, and its refusals.
#include "benchmarks/commands/collect.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "verification/tests/support/made_up_folder.hpp"
#include "verification/tests/support/source_dir.hpp"

namespace {

using namespace reprise;
using namespace reprise::benchmarks;
using namespace reprise::testing;
using Catch::Matchers::ContainsSubstring;

struct node {
  std::string name;
  double seconds{1};
  std::string status{"ok"};
  bool is_finished{true};
};

void make_node(const temporary_folder& folder, const node& n) {
  auto description = run_description;
  description["name"] = n.name;
  description["node"] = n.name;
  description["git"] = "abc";
  auto made = run_folder::create(folder / n.name, description);
  for (const char* size : {"508x1024", "512x1024"}) {
    auto r = timed_row(size, n.seconds);
    r.status = n.status;
    std::vector<sample> samples;
    for (int i = 0; i < 20 && n.status == "ok"; ++i) {
      auto s = samples_of(r).front();
      s.index = i;
      s.value = n.seconds * (1 + .001 * (i % 3 - 1));
      samples.push_back(s);
    }
    made.append(std::vector{summarising(r, samples)}, samples);
    if (!n.is_finished) return;
  }
  made.finish("2026-01-01T00:00:00Z");
}

outcome collected(const collect_request& request, std::string* said = nullptr) {
  std::ostringstream out;
  const auto found = collect(request, source_dir(), out);
  if (said != nullptr) *said = out.str();
  return found;
}

std::string refusal(const collect_request& request) {
  return complaint_of<bad_input>([&] { collected(request); });
}

void make_fleet_of(const temporary_folder& folder, const std::vector<node>& more) {
  for (const char* name : {"a", "b", "c"}) make_node(folder, {.name = name});
  for (const node& n : more) make_node(folder, n);
}

}  // namespace

TEST_CASE("a fleet ends with the worst that it has") {
  const auto outcome_with = [](const std::vector<node>& more) {
    const temporary_folder folder;
    make_fleet_of(folder, more);
    return collected({.folders = {folder.path()}});
  };
  const node slow{.name = "slow", .seconds = 1.2};
  const node dead{.name = "dead", .is_finished = false};
  const node wrong{.name = "wrong", .status = "failed"};
  CHECK(outcome_with({}) == outcome::good);
  CHECK(outcome_with({dead}) == outcome::undecided);
  CHECK(outcome_with({dead, slow}) == outcome::slower);
  CHECK(outcome_with({dead, slow, wrong}) == outcome::wrong);
}

TEST_CASE("a fleet is written as tables and JSON, and may be collected again beside itself") {
  const temporary_folder folder;
  make_fleet_of(folder, {{.name = "slow", .seconds = 1.2}});
  const collect_request request{.folders = {folder.path()}, .out = folder / "report"};
  std::string said;
  CHECK(collected(request, &said) == outcome::slower);
  CHECK_THAT(said, ContainsSubstring("SLOWER      slow on cuda:0: 2 of 2 timings, all of them by +20.0 %") &&
                       ContainsSubstring("default floor"));

  CHECK_THAT(text_in(folder / "report/nodes.csv"),
             ContainsSubstring("slow,type 1,no devices,slower,1,0,0,0,2,2,0,0\n"));
  CHECK_THAT(text_in(folder / "report/timings.csv"),
             ContainsSubstring("slow,type 1,SLOWER,cuda:0,jacobi/table1"));
  CHECK_THAT(text_in(folder / "report/medians.csv"),
             ContainsSubstring(
                 "slow,type "
                 "1,jacobi/table1,jacobi/cuda_2d,cuda:0,single,508x1024,,time_1000_sweeps,1.2,s,20,1,4\n"));
  CHECK_THAT(text_in(folder / "report/types/jacobi_table1.csv"), ContainsSubstring("cuda_2d,508x1024,s,1"));
  const auto document = nlohmann::json::parse(text_in(folder / "report/fleet.json"));
  CHECK(document["nodes"].size() == 4);
  CHECK(collected(request) == outcome::slower);
}

TEST_CASE("a node whose run never began is named") {
  const temporary_folder folder;
  make_fleet_of(folder, {});
  std::filesystem::create_directory(folder / "lost");
  std::string said;
  CHECK(collected({.folders = {folder.path()}}, &said) == outcome::undecided);
  CHECK_THAT(said, ContainsSubstring("lost: the folder is empty; its run never began"));
}

TEST_CASE("what does not make a fleet is refused in one line") {
  const temporary_folder folder;
  make_fleet_of(folder, {});
  const std::string a = folder / "a";
  std::filesystem::create_directories(folder / "nothing/below");
  put(folder / "file", "");

  CHECK_THAT(refusal({.folders = {folder / "none"}}), ContainsSubstring("none: is not a folder"));
  CHECK_THAT(refusal({.folders = {folder / "file"}}), ContainsSubstring("file: is not a folder"));
  CHECK_THAT(refusal({.folders = {folder / "nothing"}}), ContainsSubstring("contains a run"));
  CHECK_THAT(refusal({.folders = {a, a}}), ContainsSubstring("are the same run"));
  CHECK_THAT(refusal({.folders = {a, folder.path()}}), ContainsSubstring("are the same run"));
  CHECK_THAT(refusal({.folders = {a}, .vary = {"weather"}}), ContainsSubstring("--vary weather"));
  CHECK_THAT(refusal({.folders = {a}, .noise = folder / "none"}), ContainsSubstring("none"));
  CHECK_THAT(refusal({.folders = {a}, .out = folder / "file"}), ContainsSubstring("cannot be made"));
  edit_description(folder / "b", "/schema", 9);
  CHECK_THAT(refusal({.folders = {folder.path()}}), ContainsSubstring("schema 9"));
}

TEST_CASE("nodes with other builds are refused, unless it is meant, and other commits are told") {
  const temporary_folder folder;
  make_fleet_of(folder, {});
  edit_description(folder / "b", "/git", "xyz");
  reseal(folder / "b");
  std::string said;
  CHECK(collected({.folders = {folder.path()}}, &said) == outcome::good);
  CHECK_THAT(said, ContainsSubstring("git differs: abc ("));

  edit_description(folder / "b", "/build_type", "Sanitize");
  reseal(folder / "b");
  CHECK_THAT(refusal({.folders = {folder.path()}}), ContainsSubstring("a and b differ in build"));
  CHECK(collected({.folders = {folder.path()}, .vary = {"build"}}) == outcome::good);
}
