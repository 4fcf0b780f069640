// SPDX-License-Identifier: MIT
// Reads Linux's counters of scheduling and load, and judges their differences.
#include "benchmarks/harness/disturbance.hpp"

#include <fmt/core.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string_view>
#include <thread>
#include <utility>

#include "benchmarks/harness/crowding.hpp"
#include "benchmarks/harness/sampling.hpp"
#include "benchmarks/harness/scheduling.hpp"
#include "solvers/common/base/control_groups.hpp"
#include "solvers/common/base/error.hpp"

namespace reprise::harness {
namespace {

std::atomic<long> stops{0};

void count_stop(int) {
  stops.fetch_add(1, std::memory_order_relaxed);
}

// A program that SIGSTOP has stopped gets SIGCONT when it goes on.
void count_stops_from_now_on() {
  struct sigaction action {};
  action.sa_handler = count_stop;
  action.sa_flags = SA_RESTART;
  sigaction(SIGCONT, &action, nullptr);
}

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double seconds_of(const timeval& t) {
  return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
}

// Adds what /proc/stat says of all processors, and of the one that this thread is on: user, nice, system, idle, waiting for
// disks, interrupts (two), stolen.
void read_processors(load_counters& now) {
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  const int here = sched_getcpu();
  const std::string own = fmt::format("cpu{}", here);
  std::ifstream in("/proc/stat");
  for (std::string line; std::getline(in, line) && line.starts_with("cpu");) {
    std::istringstream columns(line);
    std::string name;
    double user{}, nice{}, system{}, idle{}, disks{}, hard{}, soft{}, stolen{};
    if (!(columns >> name >> user >> nice >> system >> idle >> disks >> hard >> soft >> stolen)) return;
    if (name == "cpu") {
      now.busy = (user + nice + system + hard + soft) / ticks;
      now.stolen = stolen / ticks;
    } else if (name == own) {
      now.processor = here;
      now.stolen_here = stolen / ticks;
      return;
    }
  }
}

// Microseconds in version 2 of control groups, nanoseconds in version 1.
double seconds_throttled(const control_group& by) {
  std::ifstream in(by.folder / "cpu.stat");
  std::string name;
  for (double value{}; in >> name >> value;) {
    if (name == "throttled_usec") return value * 1e-6;
    if (name == "throttled_time") return value * 1e-9;
  }
  return 0;
}

// A group above the program's own may have the quota.
double seconds_throttled() {
  static const std::vector<control_group> groups = control_groups("/", "cpu");
  double sum = 0;
  for (const control_group& group : groups) sum += seconds_throttled(group);
  return sum;
}

load_counters counters_of_system() {
  static const bool once = (count_stops_from_now_on(), true);
  static_cast<void>(once);
  load_counters now;
  now.wall = wall_seconds();
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  now.own = seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
  now.switches = used.ru_nivcsw;
  now.waited = seconds_queued().value_or(0);
  now.throttled = seconds_throttled();
  now.stops = stops.load(std::memory_order_relaxed);
  read_processors(now);
  return now;
}

load_source source = counters_of_system;

// /proc/stat counts in hundredths of a second, on each processor.
constexpr double tick = .01;

// Shares of the time that change a median by less than what is called a difference.
constexpr double most_waited = .04;

// A core that another program shares works at .6 to .8 of its pace. Undisturbed, the pace varies by a fifteenth.
constexpr double most_crowded = 1.15;

// Cores that share a cache hear of each other within 60 ns, others within 100 to 300. Undisturbed, that varies by a quarter.
constexpr double most_distant = 1.7;

// A device waits for one thread, so what is taken from the others' processors is not taken from it. A thread that is on the same
// processor at both ends is taken to have stayed there.
double stolen_between(const load_counters& from, const load_counters& to, worker by) {
  const bool is_of_one = by == worker::device && from.processor >= 0 && from.processor == to.processor;
  return is_of_one ? to.stolen_here - from.stolen_here : to.stolen - from.stolen;
}

}  // namespace

load_counters read_load() {
  return source();
}

thread_times read_threads_beside_load() {
  return source == counters_of_system ? read_thread_times() : thread_times{};
}

double share_of_others(const load_and_threads& from, const load_and_threads& to) {
  const double wall = to.load.wall - from.load.wall;
  if (const auto seconds = seconds_of_others(from.threads, to.threads)) return *seconds / wall;
  const double counted = (to.load.busy - from.load.busy) - (to.load.own - from.load.own);
  return (std::max(counted, 0.) + 2 * tick) / wall;
}

load_source replace_load_source(load_source by) {
  return std::exchange(source, by);
}

bool disturbances_are_only_noted() {
  const char* const told = std::getenv("REPRISE_DISTURBANCE");
  if (told == nullptr) return false;
  if (std::string_view(told) == "noted") return true;
  throw bad_input("REPRISE_DISTURBANCE is '" + std::string(told) + "': give noted, or unset it");
}

std::string disturbance(const load_counters& from, const load_counters& to, worker by, double others) {
  constexpr double most_stolen = .04;
  constexpr double most_used_by_others = .25;
  const bool is_alone = others <= most_waited;
  const bool waits_for_itself = is_alone && by == worker::driver;
  const double wall = to.wall - from.wall;
  if (to.stops > from.stops) return "the program was stopped and continued";
  if (!waits_for_itself && to.waited - from.waited > most_waited * wall)
    return fmt::format(
        "its threads waited for a processor during {:.0f} % of the time, {} times switched out",
        100 * (to.waited - from.waited) / wall, to.switches - from.switches);
  if (to.throttled - from.throttled > most_waited * wall)
    return fmt::format("a quota of processor time held it back during {:.0f} % of the time",
                       100 * (to.throttled - from.throttled) / wall);
  if (const double stolen = stolen_between(from, to, by); stolen > most_stolen * wall + tick)
    return fmt::format("other virtual machines took {:.0f} % of a processor", 100 * stolen / wall);
  if (const double crowding = std::max(from.crowding, to.crowding);
      by != worker::device && crowding > most_crowded)
    return fmt::format(
        "something else used its core: work that fills the core's units took {:.2f} times as long as at best",
        crowding);
  if (const double distance = std::max(from.distance, to.distance);
      (by == worker::bound_team || by == worker::library) && distance > most_distant)
    return fmt::format(
        "its processors were far apart: a message from one to the other took {:.1f} times as long as at best",
        distance);
  const double by_others = (to.busy - from.busy) - (to.own - from.own);
  if (!is_alone && by != worker::device && by_others > most_used_by_others * wall + 3 * tick)
    return fmt::format("other programs used {:.0f} % of a processor", 100 * by_others / wall);
  return "";
}

std::string disturbance_by_distance() {
  load_counters now;
  if (source == counters_of_system) now.distance = distance_of_team();
  return disturbance({}, now, worker::bound_team);
}

sample_watch::sample_watch(worker by, bool is_close_knit) : by_(by), is_close_knit_(is_close_knit) {}

load_counters sample_watch::counters_now() const {
  load_counters now = read_load();
  if (source != counters_of_system || by_ == worker::device) return now;
  now.crowding =
      by_ == worker::bound_team ? lasting([] { return crowding_of_team(); }, most_crowded) : crowding();
  if (by_ == worker::bound_team && is_close_knit_) now.distance = distance_of_team();
  return now;
}

// OpenMP's threads wait busily for milliseconds after they were asked for the distance, on processors that a library's threads
// need.
load_counters sample_watch::counters_to_begin() const {
  constexpr std::chrono::milliseconds busy_waiting{20};
  if (by_ != worker::library) return counters_now();
  const double distance = counters_to_end().distance;
  std::this_thread::sleep_for(busy_waiting);
  load_counters now = counters_now();
  now.distance = distance;
  return now;
}

load_counters sample_watch::counters_to_end() const {
  load_counters now = counters_now();
  if (by_ == worker::library && is_close_knit_ && source == counters_of_system)
    now.distance = distance_of_team();
  return now;
}

void sample_watch::begin() {
  begun_ = {read_threads_beside_load(), counters_to_begin()};
  windows_.push_back({samples_.size(), begun_.load, begun_.load, others_.size()});
}

void sample_watch::add(double seconds) {
  constexpr double shortest = .06;  // seconds: six ticks of /proc/stat
  samples_.push_back(seconds);
  if (wall_seconds() - windows_.back().from.wall < shortest) return;
  const load_counters now = counters_to_end();
  close_window(now);
  const load_counters next = by_ == worker::library ? counters_to_begin() : now;
  windows_.push_back({samples_.size(), next, next, others_.size()});
}

void sample_watch::end() {
  const load_counters now = counters_to_end();
  close_window(now);
  others_.push_back(share_of_others(begun_, {read_threads_beside_load(), now}));
}

// A window without samples says nothing of them.
void sample_watch::close_window(const load_counters& now) {
  if (windows_.back().first == samples_.size()) {
    windows_.pop_back();
  } else {
    windows_.back().to = now;
  }
}

std::vector<double> sample_watch::samples_of(std::size_t w) const {
  const std::size_t end = w + 1 < windows_.size() ? windows_[w + 1].first : samples_.size();
  return {samples_.begin() + static_cast<std::ptrdiff_t>(windows_[w].first),
          samples_.begin() + static_cast<std::ptrdiff_t>(end)};
}

std::string sample_watch::disturbance_in(const window& w) const {
  return disturbance(w.from, w.to, by_, others_[w.series]);
}

bool sample_watch::is_disturbed(std::size_t w) const {
  constexpr std::size_t few = 3;
  constexpr double most_longer = .04;
  const window& in = windows_[w];
  if (disturbance_in(in).empty()) return false;
  if (by_ != worker::device || in.to.stops > in.from.stops || samples_.size() < few) return true;
  return summarize(samples_of(w)).median > (1 + most_longer) * std::ranges::min(samples_);
}

std::vector<double> sample_watch::undisturbed() const {
  std::vector<double> kept;
  for (std::size_t w = 0; w < windows_.size(); ++w) {
    if (is_disturbed(w)) continue;
    const std::vector<double> sound = samples_of(w);
    kept.insert(kept.end(), sound.begin(), sound.end());
  }
  return kept;
}

std::string sample_watch::evidence() const {
  for (std::size_t w = 0; w < windows_.size(); ++w)
    if (is_disturbed(w)) return disturbance_in(windows_[w]);
  return "";
}

}  // namespace reprise::harness
