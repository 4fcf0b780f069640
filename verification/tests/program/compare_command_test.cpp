// SPDX-License-Identifier: MIT
// Tests `reprise compare` on generated runs on disk: its outcome and its files.
#include "benchmarks/commands/compare.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "solvers/common/base/error.hpp"
#include "verification/tests/support/made_up_folder.hpp"
#include "verification/tests/support/source_dir.hpp"

namespace {

using namespace reprise;
using namespace reprise::benchmarks;
using namespace reprise::testing;
using Catch::Matchers::ContainsSubstring;

// Writes a run with twenty samples around `seconds`.
std::string make_timed_run(const temporary_folder& folder, const std::string& name, double seconds,
                           const std::string& status = "ok") {
  auto description = run_description;
  description["name"] = name;
  auto made = run_folder::create(folder / name, description);
  auto r = timed_row("508x1024", seconds);
  r.status = status;
  if (status != "ok") {
    made.append(std::vector{r}, {});
    auto other = timed_row("512x1024", seconds);
    made.append(std::vector{other}, samples_of(other));
    return (folder / name).string();
  }
  std::vector<sample> samples;
  for (int i = 0; i < 20; ++i) {
    auto s = samples_of(r).front();
    s.index = i;
    s.value = seconds * (1 + .001 * (i % 3 - 1));
    samples.push_back(s);
  }
  made.append(std::vector{summarising(r, samples)}, samples);
  return (folder / name).string();
}

outcome compared(const compare_request& request, std::string* said = nullptr) {
  std::ostringstream out;
  const auto found = compare(request, source_dir(), out);
  if (said != nullptr) *said = out.str();
  return found;
}

}  // namespace

TEST_CASE("a comparison ends with what it was asked to be concerned about") {
  const temporary_folder folder;
  const auto a = make_timed_run(folder, "a", 1);
  const auto same = make_timed_run(folder, "same", 1);
  const auto slow = make_timed_run(folder, "slow", 1.3);
  const auto failed = make_timed_run(folder, "failed", 1, "failed");
  make_run(folder / "two_samples");
  edit_description(folder / "two_samples", "/name", "few");
  const auto few = (folder / "two_samples").string();

  CHECK(compared({.names = {a, same}, .concern = fail_on::any}) == outcome::good);
  CHECK(compared({.names = {a, slow}, .concern = fail_on::any}) == outcome::slower);
  CHECK(compared({.names = {a, slow}, .concern = fail_on::slower}) == outcome::slower);
  CHECK(compared({.names = {a, slow}, .concern = fail_on::wrong}) == outcome::good);
  CHECK(compared({.names = {a, slow}}) == outcome::good);
  CHECK(compared({.names = {slow, a}, .concern = fail_on::any}) == outcome::good);
  CHECK(compared({.names = {few, failed}, .concern = fail_on::any}) == outcome::wrong);
  CHECK(compared({.names = {few, failed}, .concern = fail_on::slower}) == outcome::good);
  CHECK(compared({.names = {a, few}, .concern = fail_on::any}) == outcome::undecided);
}

TEST_CASE("learned noise decides in place of the default floor") {
  const temporary_folder folder;
  compare_request learn{.names = {}, .floor = folder / "noise.csv"};
  for (int i = 0; i < 6; ++i) {
    learn.names.push_back(make_timed_run(folder, "n" + std::to_string(i), 1 + .001 * (i % 2)));
  }
  REQUIRE(compared(learn) == outcome::good);
  const auto slower = make_timed_run(folder, "slower", 1.05);

  compare_request gate{.names = {learn.names.front(), slower}, .concern = fail_on::slower};
  std::string said;
  CHECK(compared(gate, &said) == outcome::good);
  CHECK_THAT(said, ContainsSubstring("default floor") && ContainsSubstring("(--margin)"));
  gate.noise = folder / "noise.csv";
  CHECK(compared(gate, &said) == outcome::slower);
  CHECK_THAT(said, ContainsSubstring("(6 runs)") && ContainsSubstring("1 SLOWER"));
  CHECK_THAT(said, !ContainsSubstring("(--margin)"));
  gate.margin = "0.001%";
  CHECK(compared(gate, &said) == outcome::slower);
  CHECK_THAT(said, ContainsSubstring("(--margin)") && ContainsSubstring("duel"));
  gate.margin = "much";
  CHECK_THROWS_AS(compared(gate), bad_input);
}

TEST_CASE("a comparison is written as Markdown and CSV") {
  const temporary_folder folder;
  const auto a = make_timed_run(folder, "a", 1);
  const auto b = make_timed_run(folder, "b", 1);

  compared({.names = {a, b}, .out = folder / "out"});

  CHECK_THAT(text_in(folder / "out/jacobi_table1.md"), ContainsSubstring("| cuda_2d | s | 1 | 1 |"));
  CHECK_THAT(text_in(folder / "out/jacobi_table1.csv"), ContainsSubstring("cuda_2d,s,1,1"));
  CHECK_THAT(text_in(folder / "out/speed.csv"), ContainsSubstring("SAME,cuda:0,jacobi/table1"));
}

TEST_CASE("a comparison prints a summary, and its tables only in full") {
  const temporary_folder folder;
  const auto a = make_timed_run(folder, "a", 1);
  const auto b = make_timed_run(folder, "b", 2);
  std::string said;

  compared({.names = {a, b}}, &said);
  CHECK_THAT(said, ContainsSubstring("times as fast as"));
  CHECK_THAT(said, ContainsSubstring("--full") && !ContainsSubstring("jacobi/table1: "));

  compared({.names = {a, b}, .is_full = true}, &said);
  CHECK_THAT(said, ContainsSubstring("jacobi/table1: "));
}

TEST_CASE("the recorded device and a board of two papers fit on one screen") {
  std::string said;
  compared({.names = {"nvidia-h200", "paper:GTX280"}}, &said);

  CHECK(std::ranges::count(said, '\n') <= 50);
  CHECK_THAT(said, ContainsSubstring("paper:GTX280 has no number of: angiogenesis, atrium, tissue"));
  CHECK_THAT(said, ContainsSubstring("GTX 280 is printed as PH 280"));
  CHECK(said.find("has no number of") < said.find("jacobi: "));

  compared({.names = {"nvidia-h200", "paper:GTX280"}, .experiments = "jacobi/table3", .is_full = true},
           &said);
  CHECK_THAT(said, ContainsSubstring("are those of whole runs"));
  CHECK_THAT(said, ContainsSubstring("NVIDIA H200 is") && ContainsSubstring("times as fast as GTX 280"));
}

TEST_CASE("a comparison's page has its summary and times by year") {
  const temporary_folder folder;
  compared({.names = {"nvidia-h200", "paper:GTX280"}, .experiments = "jacobi/table3", .out = folder / "out"});
  const auto page = nlohmann::json::parse(text_in(folder / "out/comparison.json"));
  CHECK_THAT(page["summary"].get<std::string>(), ContainsSubstring("jacobi: "));
  CHECK(page["papers"].size() == 5);
}

TEST_CASE("a comparison overwrites an earlier comparison and nothing else") {
  const temporary_folder folder;
  const auto a = make_timed_run(folder, "a", 1);
  const auto b = make_timed_run(folder, "b", 2);
  const auto refusal = [&](const std::filesystem::path& out) {
    return complaint_of<bad_input>([&] { compared({.names = {a, b}, .out = out}); });
  };
  const auto own = folder / "own";
  std::filesystem::create_directories(own);
  put(own / "index.html", "precious");
  put(own / "roofs.csv", "mine");

  CHECK_THAT(refusal(own), ContainsSubstring("is not empty and no earlier comparison"));
  CHECK(text_in(own / "index.html") == "precious");
  CHECK(text_in(own / "roofs.csv") == "mine");
  CHECK_THAT(refusal(a), ContainsSubstring("no earlier comparison"));
  put(own / "report.json", R"({"papers": [], "schema": 1})");
  CHECK_THAT(refusal(own), ContainsSubstring("no earlier comparison"));

  compared({.names = {a, b}, .out = folder / "out"});
  compared({.names = {a, "paper:GTX280"}, .out = folder / "out"});
  CHECK_FALSE(std::filesystem::exists(folder / "out/speed.csv"));
}

TEST_CASE("an unfinished run is named, and so is one without a number") {
  const temporary_folder folder;
  const auto a = make_timed_run(folder, "a", 1);
  const auto b = make_timed_run(folder, "b", 2);
  std::string said;
  compared({.names = {a, b}}, &said);
  CHECK_THAT(said, ContainsSubstring("unfinished"));

  auto description = run_description;
  description["name"] = "none";
  run_folder::create(folder / "none", description);
  const auto none = (folder / "none").string();
  CHECK_THAT(complaint_of<bad_input>([&] {
               compared({.names = {a, none}});
             }),
             ContainsSubstring("none: has no number to compare: the run is unfinished"));
}
