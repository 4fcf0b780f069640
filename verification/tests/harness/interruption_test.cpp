// SPDX-License-Identifier: MIT
// Tests runs that are stopped, crash inside a case, or are continued by something else than what began them.
#include "benchmarks/harness/interruption.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>

#include "benchmarks/harness/runner.hpp"
#include "reports/store/run.hpp"
#include "solvers/common/base/error.hpp"
#include "verification/tests/support/made_up_folder.hpp"

namespace {

using namespace reprise;
using namespace reprise::harness;
using namespace reprise::testing;
using Catch::Matchers::ContainsSubstring;
namespace fs = std::filesystem;

run_request request_for(const fs::path& folder) {
  run_request request;
  request.experiments = {"jacobi/table4"};
  request.plan.level = preset::smoke;
  request.plan.sizes = {{8, 8}};
  request.device_glob = "cpu";
  request.out = folder;
  return request;
}

std::string resumed(const fs::path& folder) {
  auto request = request_for(folder);
  request.resume = true;
  std::ostringstream said;
  run_experiments(request, said);
  return said.str();
}

// Makes an interrupted run: one that is finished but for its last rows and its end.
void make_interrupted(const fs::path& folder) {
  std::ostringstream said;
  run_experiments(request_for(folder), said);
  auto document = nlohmann::json::parse(text_in(folder / "run.json"));
  document.erase("finished");
  put(folder / "rows.csv", reports::row_header());
  put(folder / "samples.csv", reports::sample_header());
  for (const char* name : {"rows.csv", "samples.csv"}) {
    document["files"][name]["bytes"] = text_in(folder / name).size();
    document["files"][name]["sha256"] = hash_of(text_in(folder / name));
  }
  put(folder / "run.json", document.dump());
}

// What a child process writes to stderr that a signal ends while it measures a case.
std::string said_on(int signal, const fs::path& folder, const reports::case_id& of) {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], STDERR_FILENO);
    for (const int number : {SIGSEGV, SIGABRT, SIGINT, SIGTERM, SIGHUP}) std::signal(number, SIG_DFL);
    interruption_guard guard(folder);
    guard.begin(of);
    ::raise(signal);
    std::_Exit(0);
  }
  ::close(ends[1]);
  std::string said(4096, '\0');
  said.resize(static_cast<std::size_t>(std::max<ssize_t>(0, ::read(ends[0], said.data(), said.size()))));
  ::close(ends[0]);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == signal);
  return said;
}

}  // namespace

TEST_CASE("a signal to stop ends a run with a line that says how to go on, and blames no case") {
  const temporary_folder folder;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    CHECK_THAT(said_on(signal, folder.path(), timed_row("8x8", 1)),
               ContainsSubstring("reprise run --resume --out '" + folder.path().string() + "' goes on"));
    CHECK_FALSE(noted_crash(folder.path()));
  }
}

TEST_CASE("a crash inside a case is noted with the case and its signal") {
  const temporary_folder folder;
  const auto of = timed_row("8x8", 1);
  for (const auto& [signal, name] : {std::pair(SIGSEGV, "SIGSEGV"), std::pair(SIGABRT, "SIGABRT")}) {
    said_on(signal, folder.path(), of);
    const auto noted = noted_crash(folder.path());
    REQUIRE(noted);
    CHECK(noted->of == text_of_case(of));
    CHECK(noted->because == name);
    remove_note(folder.path());
    CHECK_FALSE(noted_crash(folder.path()));
  }
}

TEST_CASE("a case in which the program crashed is skipped when the run is continued") {
  const temporary_folder folder;
  const auto run = folder / "run";
  make_interrupted(run);
  reports::case_id of{"jacobi/table4", "jacobi/cpu_interleaved", "cpu", "single", "8x8", ""};
  put(run / ".crashed", "SIGSEGV\n" + text_of_case(of));

  resumed(run);

  const auto rows = reports::read_run(run).rows;
  const auto& row = only_row(rows, [&](const auto& r) { return same_case(r, of); });
  CHECK(row.status == "skipped");
  CHECK_THAT(row.reason.str(), ContainsSubstring("crashed last time with SIGSEGV"));
  CHECK_FALSE(fs::exists(run / ".crashed"));
}

TEST_CASE("a run is continued only by the program, ranks, devices and settings that began it") {
  const temporary_folder folder;
  const auto run = folder / "run";
  make_interrupted(run);
  const auto description = text_in(run / "run.json");
  const auto complaint_after = [&](const char* key, const nlohmann::json& value) {
    put(run / "run.json", description);
    edit_description(run, key, value);
    return complaint_of<bad_input>([&] { resumed(run); });
  };

  CHECK_THAT(complaint_after("/origin/ranks", 4),
             ContainsSubstring("another number of ranks: 4 then, 1 now"));
  CHECK_THAT(complaint_after("/origin/program", "ab"), ContainsSubstring("another program"));
  CHECK_THAT(complaint_after("/origin/environment", {{"OMP_NUM_THREADS", "77"}}),
             ContainsSubstring("another environment"));
  CHECK_THAT(complaint_after("/origin/engine_flags", {"--benchmark_min_time=9s"}),
             ContainsSubstring("another choice of flags"));
  CHECK_THAT(complaint_after("/devices/0/name", "another processor"),
             ContainsSubstring("another set of devices"));
  put(run / "run.json", description);
  CHECK_THAT(resumed(run), ContainsSubstring("ok"));
  CHECK(reports::read_run(run).is_sealed);
}
