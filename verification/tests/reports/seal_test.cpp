// SPDX-License-Identifier: MIT
// Tests what holds for a finished run: its seal, and what rows and samples must fulfil even if somebody makes new hashes.
#include "reports/store/seal.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>

#include "reports/store/run.hpp"
#include "reports/store/run_folder.hpp"
#include "reports/store/soundness.hpp"
#include "verification/tests/support/made_up_folder.hpp"

namespace {

using namespace reprise;
using namespace reprise::reports;
using namespace reprise::testing;
using Catch::Matchers::ContainsSubstring;
namespace fs = std::filesystem;

void check_refused(const fs::path& run, const std::string& expected) {
  const auto text = complaint_about(run);
  CHECK_THAT(text, ContainsSubstring(expected));
  CHECK(text.find('\n') == std::string::npos);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

void edit(const fs::path& file, const std::string& from, const std::string& to) {
  put(file, replaced(text_in(file), from, to));
}

nlohmann::json record_of(const std::string& text) {
  return {{"bytes", text.size()}, {"sha256", hash_of(text)}};
}

// Makes new hashes and a new seal for a run whose files were changed.
void forge(const fs::path& run) {
  auto document = nlohmann::json::parse(text_in(run / "run.json"));
  for (const char* name : {"rows.csv", "samples.csv"})
    document["files"][name] = record_of(text_in(run / name));
  put(run / "run.json", document.dump());
  reseal(run);
}

}  // namespace

TEST_CASE("a finished run is sealed, and nothing can be added to it") {
  const temporary_folder folder;
  const auto run = folder / "run";
  make_finished_run(run);

  CHECK(read_run(run).is_sealed);
  CHECK(reservations_about(read_run(run)).empty());
  auto open = run_folder::resume(run);
  CHECK(open.is_finished());
  CHECK_THROWS_AS(append(open, "8x8", 1), error);
  CHECK_THROWS_AS(open.describe({{"host", "elsewhere"}}), error);
  CHECK_THROWS_AS(open.finish("2027-01-01T00:00:00Z"), error);
  CHECK(read_run(run).rows.size() == 2);
}

TEST_CASE("each change of a sealed run's files is found") {
  struct attack {
    const char* name;
    std::function<void(const fs::path&)> make;
    const char* expected;
  };
  const auto more = to_csv(std::vector{timed_row("8x8", 1)});
  const std::vector<attack> attacks{
      {"rows appended", [&](const auto& run) { put_at_end(run / "rows.csv", more); },
       "something was appended to it"},
      {"samples appended",
       [](const auto& run) { put_at_end(run / "samples.csv", to_csv(samples_of(timed_row("8x8", 1)))); },
       "something was appended to it"},
      {"half a line appended", [](const auto& run) { put_at_end(run / "rows.csv", "a,jac"); },
       "something was appended to it"},
      {"a device renamed",
       [](const auto& run) {
         edit_description(run, "/devices", {{{"id", "cuda:0"}, {"name", "better"}}});
       },
       "was changed after the run was sealed"},
      {"one blank in run.json", [](const auto& run) { put_at_end(run / "run.json", " "); },
       "was changed after the run was sealed"},
      {"another end", [](const auto& run) { edit_description(run, "/finished", "2026-02-01T00:00:00Z"); },
       "was changed after the run was sealed"},
      {"the seal removed", [](const auto& run) { fs::remove(run / "seal.json"); }, "has no seal.json"},
      {"the seal emptied", [](const auto& run) { put(run / "seal.json", ""); },
       "was changed after the run was sealed"},
      {"a median changed",
       [](const auto& run) { edit(run / "rows.csv", "0.25,s,0.25,0.25", "0.15,s,0.15,0.15"); },
       "rows.csv: was changed after it was written"}};
  for (const auto& a : attacks) {
    INFO(a.name);
    const temporary_folder folder;
    make_finished_run(folder / "run");
    REQUIRE(complaint_about(folder / "run").empty());
    a.make(folder / "run");
    check_refused(folder / "run", a.expected);
  }
}

TEST_CASE("new hashes and a new seal do not make impossible rows possible") {
  struct attack {
    const char* file;
    std::string from, to;
    const char* expected;
  };
  const std::string line =
      "a,jacobi/table1,jacobi/cuda_2d,cuda:0,single,512x1024,,time_1000_sweeps,0.25,s,0.25,0.25,2,ok,\n";
  const std::vector<attack> attacks{
      {"rows.csv", "0.25,s,0.25,0.25,2", "0.15,s,0.15,0.15,2", "its samples say 0.25 s"},
      {"rows.csv", "0.25,s,0.25,0.25,2", "0.25,s,0.25,0.25,3", "its samples say 0.25 s"},
      {"rows.csv", "0.25,s,0.25,0.25,2", "0.25,s,0.2,0.25,2", "its samples say 0.25 s"},
      {"rows.csv", "0.25,s,0.25,0.25,2", "0,s,,,1", "took 0 s"},
      {"rows.csv", "0.25,s,0.25,0.25,2", "-1,s,,,1", "took -1 s"},
      {"rows.csv", "0.25,s,0.25,0.25,2", "inf,s,,,1", "passes for right and has no finite value"},
      {"rows.csv", "0.25,s,0.25,0.25,2", ",s,,,1", "passes for right and has no finite value"},
      {"rows.csv", "0.25,s,0.25,0.25,2", "0.25,s,0.3,0.4,2", "has a median outside of its quartiles"},
      {"rows.csv", "0.25,s,0.25,0.25,2,ok", "0.25,s,0.25,0.25,2,failed", "is failed and has samples"},
      {"rows.csv", "0.25,s,0.25,0.25,2,ok", "0.25,s,0.25,0.25,2,published", "is a paper's number"},
      {"rows.csv", "512x1024", "508x1024", "is there twice"},
      {"rows.csv", line, "", "has samples and no row"},
      {"rows.csv", "512x1024", "513x1024", "has samples and no row"},
      {"samples.csv", "512x1024,,time_1000_sweeps,1,0.25", "512x1024,,time_1000_sweeps,1,-0.25",
       "has a sample of -0.25 s"},
      {"samples.csv", "512x1024,,time_1000_sweeps,1,0.25", "512x1024,,time_1000_sweeps,1,inf",
       "has a sample of inf s"},
      {"samples.csv", "512x1024,,time_1000_sweeps,1,0.25", "512x1024,,time_1000_sweeps,1,",
       "has a sample of nan s"},
      {"samples.csv", "512x1024,,time_1000_sweeps,1", "512x1024,,time_1000_sweeps,0",
       "has a sample 0 where 1 follows"},
      {"samples.csv", "512x1024,,time_1000_sweeps,0", "508x1024,,time_1000_sweeps,2", "its samples say"}};
  for (const auto& a : attacks) {
    INFO(a.from << " -> " << a.to);
    const temporary_folder folder;
    make_finished_run(folder / "run");
    edit(folder / "run" / a.file, a.from, a.to);
    forge(folder / "run");
    check_refused(folder / "run", a.expected);
    make_unsealed(folder / "run");
    check_refused(folder / "run", a.expected);
  }
}

TEST_CASE("a row that an experiment took from another needs no samples of its own, but the other's numbers") {
  const temporary_folder folder;
  make_finished_run(folder / "run");
  const auto copied = [](const std::string& number) {
    return "a,jacobi/fig21,jacobi/cuda_2d,cuda:0,single,512x1024,,time_1000_sweeps," + number +
           ",2,ok,measured in jacobi/table1\n";
  };

  put_at_end(folder / "run/rows.csv", copied("0.25,s,0.25,0.25"));
  forge(folder / "run");
  CHECK(complaint_about(folder / "run").empty());
  edit(folder / "run/rows.csv", copied("0.25,s,0.25,0.25"), copied("0.24,s,0.24,0.24"));
  forge(folder / "run");
  check_refused(folder / "run", "counts 2 samples and none is recorded");
}

TEST_CASE(
    "a finished run of the first schema stays readable, is shown as not sealed, and takes no more rows") {
  const temporary_folder folder;
  const auto run = folder / "run";
  make_finished_run(run);
  make_unsealed(run);

  CHECK_FALSE(read_run(run).is_sealed);
  REQUIRE(reservations_about(read_run(run)).size() == 1);
  CHECK_THAT(reservations_about(read_run(run)).front(), ContainsSubstring("not sealed"));
  run_folder::resume(run);
  CHECK_FALSE(fs::exists(run / "seal.json"));
  put_at_end(run / "rows.csv", to_csv(std::vector{timed_row("8x8", 1)}));
  check_refused(run, "something was appended to it");
}

TEST_CASE("a kill between seal and end leaves an unfinished run that can be continued") {
  const temporary_folder folder;
  const auto run = folder / "run";
  make_run(run);
  put(run / "seal.json", "{}");

  CHECK_THAT(reservations_about(read_run(run)).front(), ContainsSubstring("unfinished"));
  run_folder::resume(run).finish("2026-01-31T12:00:00Z");
  CHECK(read_run(run).is_sealed);
}

TEST_CASE("a program of changed sources is named") {
  const temporary_folder folder;
  {
    auto open = run_folder::create(folder / "run", run_description);
    open.describe({{"git", "0123456789ab-dirty"}});
    open.finish("2026-01-31T12:00:00Z");
  }
  const auto lines = reservations_about(read_run(folder / "run"));
  REQUIRE(lines.size() == 1);
  CHECK_THAT(lines.front(), ContainsSubstring("changed sources (0123456789ab-dirty)"));
}

TEST_CASE("impossible rows and repeated numbers are the caller's mistake and write nothing") {
  const temporary_folder folder;
  auto open = run_folder::create(folder / "run", run_description);
  append(open, "8x8", 1);
  auto r = timed_row("9x9", 1);

  SECTION("a time of zero") {
    r.value = r.q1 = r.q3 = 0;
  }
  SECTION("an infinite time") {
    r.value = r.q1 = r.q3 = std::numeric_limits<double>::infinity();
  }
  SECTION("no value") {
    r.value = r.q1 = r.q3 = no_value;
  }
  SECTION("a median that its samples do not have") {
    r.value = r.q1 = r.q3 = 2;
  }
  SECTION("a number that is there") {
    r = timed_row("8x8", 1);
  }

  CHECK_THROWS_AS(open.append(std::vector{r}, samples_of(timed_row(r.size, 1))), error);
  CHECK(read_run(folder / "run").rows.size() == 1);
  CHECK(read_run(folder / "run").samples.size() == 2);
}

TEST_CASE("an impossible number costs itself and not the case") {
  auto time = timed_row("8x8", 0);
  auto error_of_it = timed_row("8x8", 1e-7);
  error_of_it.metric = "max_relative_error";
  error_of_it.unit = "1";
  auto lost = error_of_it;
  lost.metric = "order";
  lost.value = no_value;
  std::vector<row> rows{time, error_of_it, lost};
  auto samples = samples_of(time);

  without_impossible(rows, samples);

  CHECK(samples.empty());
  CHECK(rows[0].status == "skipped");
  CHECK_THAT(rows[0].reason.str(), ContainsSubstring("not usable: the number took 0 s"));
  CHECK(rows[1].status == "ok");
  CHECK(rows[2].status == "failed");
}
