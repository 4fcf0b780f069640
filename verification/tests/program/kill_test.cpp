// SPDX-License-Identifier: MIT
// Kills processes with real cases at random moments and resumes them. At the end the run and its report are
// those of an undisturbed run. The processes are forks, so that this machine's roofs, which take seconds, are
// measured only once, before the first fork.
#include <omp.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "benchmarks/commands/gather.hpp"
#include "benchmarks/harness/roofs/rows.hpp"
#include "benchmarks/harness/runner.hpp"
#include "reports/page/report.hpp"
#include "reports/store/csv.hpp"
#include "reports/store/run.hpp"
#include "reports/store/run_folder.hpp"
#include "verification/tests/support/source_dir.hpp"
#include "verification/tests/support/temporary_folder.hpp"

namespace {

using namespace reprise;
using namespace reprise::testing;
namespace fs = std::filesystem;
using std::chrono::steady_clock;

constexpr int kills_wanted = 50;

harness::run_request request_for(const fs::path& folder) {
  harness::run_request request;
  request.experiments = {"angiogenesis/table4", "angiogenesis/table6", "curvature/fig*"};
  request.plan.level = harness::preset::smoke;
  request.plan.sizes = {{12, 12}};
  request.device_glob = "cpu";
  request.out = folder;
  request.resume = fs::exists(folder / "run.json");
  return request;
}

// Starts or resumes the run in a child process, which is killed when a file exceeds `most_bytes`.
pid_t start(const fs::path& folder, rlim_t most_bytes = RLIM_INFINITY) {
  std::cout.flush();  // otherwise the fork would print it again
  const pid_t child = ::fork();
  if (child != 0) return child;
  const rlimit limit{most_bytes, RLIM_INFINITY};
  ::setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, SIG_DFL);  // kills the process after the last allowed byte
  try {
    std::ostringstream said;
    run_experiments(request_for(folder), said);
    std::_Exit(0);
  } catch (const std::exception& problem) {
    std::fputs(problem.what(), stderr);
    std::_Exit(1);
  }
}

std::uintmax_t size_of(const fs::path& file) {
  std::error_code code;
  const auto size = fs::file_size(file, code);
  return code ? 0 : size;
}

// Lets the process run until the moment has come, then kills it. Returns whether it
// was killed before it finished.
bool killed_when(pid_t process, const std::function<bool()>& moment_has_come) {
  int status = 0;
  while (!moment_has_come()) {
    if (::waitpid(process, &status, WNOHANG) == process) {
      const bool is_killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ;
      if (!is_killed) REQUIRE((WIFEXITED(status) && WEXITSTATUS(status) == 0));
      return is_killed;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  ::kill(process, SIGKILL);
  ::waitpid(process, &status, 0);
  return WIFSIGNALED(status);
}

// One life of the run, ended in one of four ways: after some time, by the size of its files, or as soon as
// rows or samples are written. Returns whether it was killed before it finished.
bool live_and_die(const fs::path& folder, int way, double seconds, std::mt19937& random) {
  std::uniform_real_distribution<double> share(0, 1);
  const auto grown = [](const fs::path& file) {
    return [file, before = size_of(file)] { return size_of(file) != before; };
  };
  switch (way) {
    case 0: {
      const auto until =
          steady_clock::now() + std::chrono::microseconds(static_cast<long>(seconds * 1e6 * share(random)));
      return killed_when(start(folder), [=] { return steady_clock::now() > until; });
    }
    case 1: {
      const auto room = static_cast<rlim_t>(6000 * share(random));
      return killed_when(start(folder, size_of(folder / "samples.csv") + room), [] { return false; });
    }
    case 2:
      return killed_when(start(folder), grown(folder / "rows.csv"));
    default:
      return killed_when(start(folder), grown(folder / "samples.csv"));
  }
}

// The part of rows.csv that run.json records.
std::string vouched_rows(const fs::path& folder) {
  const auto text = text_in(folder / "run.json");
  if (text.empty()) return {};
  const auto bytes = nlohmann::json::parse(text)["files"]["rows.csv"]["bytes"].get<std::size_t>();
  return text_in(folder / "rows.csv").substr(0, bytes);
}

bool depends_on_time(const reports::row& r) {
  return r.unit == "s" || r.unit == "GB/s" || r.unit == "GFLOP/s" || r.unit == "%" ||
         r.metric.starts_with("speedup");
}

// The row without properties that differ between runs: the run's name and all times.
reports::row timeless(reports::row r) {
  r.run = "run";
  if (depends_on_time(r) && r.status == "ok") {
    r.value = r.q1 = r.q3 = 1;
    r.samples = r.samples > 0 ? 1 : 0;
    r.reason.clear();
  }
  return r;
}

// One line for each row, sorted.
std::vector<std::string> timeless_rows(const fs::path& folder) {
  std::vector<std::string> lines;
  for (const reports::row& r : reports::read_run(folder).rows)
    lines.push_back(to_csv(std::vector{timeless(r)}));
  std::sort(lines.begin(), lines.end());
  return lines;
}

// All files of the run's report, by name, with all times made equal.
std::map<std::string, std::string> timeless_report(const fs::path& folder) {
  const temporary_folder out;
  reports::report_request request{benchmarks::gather(source_dir(), {folder.string()}), {}, {}, {}};
  request.assumptions = request.published_dir / "assumptions.md";
  request.out = out / "report";
  auto& run = request.runs.front();
  run.folder = "run";
  run.description = nlohmann::json{{"name", "run"}, {"devices", (*run.description)["devices"]}};
  run.samples.clear();
  std::transform(run.rows.begin(), run.rows.end(), run.rows.begin(), timeless);
  write_report(request);
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(request.out))
    if (entry.is_regular_file())
      files[fs::relative(entry.path(), request.out).string()] = text_in(entry.path());
  return files;
}

// Checks that each timed row has its samples, each exactly once.
void require_samples(const fs::path& folder) {
  const auto run = reports::read_run(folder);
  std::map<reports::number_id, std::vector<int>> indices;
  for (const auto& s : run.samples) indices[s].push_back(s.index);
  for (const auto& r : run.rows) {
    const auto found = indices.find(r);
    if (found == indices.end()) continue;
    INFO(to_csv(std::vector{r}));
    REQUIRE(found->second.size() == static_cast<std::size_t>(r.samples));
    for (int i = 0; i < r.samples; ++i) REQUIRE(found->second[static_cast<std::size_t>(i)] == i);
    indices.erase(found);
  }
  REQUIRE(indices.empty());
}

}  // namespace

TEST_CASE("a killed run loses nothing", "[all]") {
  omp_set_num_threads(1);  // a fork does not inherit other threads
  for (const device& d : all_devices())
    if (d.id == "cpu") {
      harness::record_roofs(d, harness::preset::smoke, {}, "");
    }
  const temporary_folder folder;
  const auto begin = steady_clock::now();
  REQUIRE_FALSE(killed_when(start(folder / "undisturbed"), [] { return false; }));
  const double seconds = std::chrono::duration<double>(steady_clock::now() - begin).count();
  const auto expected = timeless_rows(folder / "undisturbed");
  const auto expected_report = timeless_report(folder / "undisturbed");
  const auto fields = reports::read_run(folder / "undisturbed").fields.size();
  REQUIRE(expected.size() > 100);
  REQUIRE(fields > 0);
  REQUIRE(expected_report.size() > 20);

  std::mt19937 random(20240607);
  int kills = 0;
  for (int name = 0; kills < kills_wanted; ++name) {
    const auto run = folder / std::to_string(name);
    for (bool is_done = false; !is_done;) {
      const auto vouched = vouched_rows(run);
      const bool is_killed = kills < kills_wanted ? live_and_die(run, kills % 4, seconds, random)
                                                  : killed_when(start(run), [] { return false; });
      is_done = !is_killed;
      kills += is_killed ? 1 : 0;
      INFO("run " << name << " after kill " << kills);
      REQUIRE(vouched_rows(run).starts_with(vouched));
      if (fs::exists(run / "run.json")) reports::read_run(run);
    }
    INFO("run " << name);
    CHECK(timeless_rows(run) == expected);
    const auto report = timeless_report(run);
    for (const auto& [name, text] : expected_report) {
      INFO(name);
      CHECK((report.contains(name) && report.at(name) == text));
    }
    CHECK(report.size() == expected_report.size());
    CHECK(reports::read_run(run).fields.size() == fields);
    require_samples(run);
  }
}
