// SPDX-License-Identifier: MIT
// Tests what counts as a disturbance of timed work.
#include "benchmarks/harness/disturbance.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "benchmarks/harness/nvml.hpp"
#include "verification/tests/support/tests.hpp"

using namespace reprise;
using namespace reprise::harness;

namespace {

// What a second of work on one processor counts.
load_counters a_second_later() {
  load_counters c;
  c.wall = c.own = c.busy = 1;
  return c;
}

std::string after_a_second(double load_counters::*counter, double more, worker by) {
  load_counters c = a_second_later();
  c.*counter += more;
  return disturbance({}, c, by);
}

}  // namespace

TEST_CASE("each cause of lost time is a disturbance from its limit on") {
  struct cause {
    double load_counters::*counter;
    double harmless, harmful;
    const char* words;
  };
  const std::vector<cause> causes{{&load_counters::waited, .03, .05, "waited for a processor"},
                                  {&load_counters::throttled, .03, .05, "quota"},
                                  {&load_counters::stolen, .03, .08, "other virtual machines"},
                                  {&load_counters::crowding, .1, .2, "something else used its core"},
                                  {&load_counters::busy, .2, .4, "other programs"}};
  for (const cause& c : causes) {
    CAPTURE(c.words);
    for (const worker by : {worker::processors, worker::bound_team}) {
      CHECK(after_a_second(c.counter, c.harmless, by).empty());
      CHECK_THAT(after_a_second(c.counter, c.harmful, by), ContainsSubstring(c.words));
    }
  }
  load_counters stopped = a_second_later();
  stopped.stops = 1;
  CHECK_THAT(disturbance({}, stopped, worker::device), ContainsSubstring("stopped"));
}

TEST_CASE("processors that are far apart disturb several threads, and not a single one") {
  for (const worker by : {worker::bound_team, worker::library}) {
    CHECK(after_a_second(&load_counters::distance, .5, by).empty());
    CHECK_THAT(after_a_second(&load_counters::distance, 1, by), ContainsSubstring("were far apart"));
  }
  CHECK(after_a_second(&load_counters::distance, 5, worker::processors).empty());
}

TEST_CASE("other programs on the host do not disturb work on a device") {
  CHECK(after_a_second(&load_counters::busy, 1, worker::device).empty());
  CHECK(after_a_second(&load_counters::crowding, 1, worker::device).empty());
  CHECK_FALSE(after_a_second(&load_counters::waited, .1, worker::device).empty());
}

TEST_CASE("what other machines take of other processors does not disturb work on a device") {
  load_counters begin, end = a_second_later();
  begin.processor = end.processor = 3;
  end.stolen = .5;
  CHECK(disturbance(begin, end, worker::device).empty());
  CHECK_FALSE(disturbance(begin, end, worker::bound_team).empty());
  end.stolen_here = .1;
  CHECK_THAT(disturbance(begin, end, worker::device), ContainsSubstring("took 10 % of a processor"));
  end.stolen_here = 0;
  end.processor = 4;
  CHECK_FALSE(disturbance(begin, end, worker::device).empty());
}

TEST_CASE("a sample during which the program was stopped is left out") {
  sample_watch watch(worker::device);
  watch.begin();
  watch.add(1);
  std::this_thread::sleep_for(std::chrono::milliseconds(70));
  watch.add(2);  // ends the first window
  const long before = read_load().stops;
  const pid_t own = getpid();
  const pid_t child = fork();
  if (child == 0) {
    kill(own, SIGSTOP);
    usleep(20'000);
    kill(own, SIGCONT);
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  watch.add(3);
  watch.end();
  CHECK(read_load().stops == before + 1);
  CHECK(watch.all().size() == 3);
  CHECK_FALSE(watch.evidence().empty());
  for (const double kept : watch.undisturbed()) CHECK(kept < 3);
}

namespace {

// A clock that moves on by a tenth of a second with each reading, in which a thread waits for a processor half of the time, for
// other programs or for threads of its own.
template <bool is_alone>
load_counters waiting_clock() {
  static load_counters now;
  now.wall += .1;
  now.waited += .05;
  (is_alone ? now.own : now.busy) += .05;
  if (is_alone) now.busy = now.own;
  return now;
}

std::string evidence_of(worker by, const std::vector<double>& samples,
                        load_source clock = waiting_clock<false>) {
  const load_source before = replace_load_source(clock);
  sample_watch watch(by);
  watch.begin();
  for (const double seconds : samples) watch.add(seconds);
  watch.end();
  replace_load_source(before);
  return watch.evidence();
}

}  // namespace

TEST_CASE("a wait for a processor disturbs a device's samples only where they are longer than the shortest") {
  CHECK(evidence_of(worker::device, {1, 1.01, 1.005, 1.01}).empty());
  CHECK_FALSE(evidence_of(worker::device, {1, 1.2, 1.2, 1.1}).empty());
  CHECK_FALSE(evidence_of(worker::device, {1, 1}).empty());
  CHECK_FALSE(evidence_of(worker::processors, {1, 1.01, 1.005, 1.01}).empty());
}

TEST_CASE("threads of a driver that wait for each other while no other program runs are no disturbance") {
  const std::vector<double> samples{1, 1.2, 1.2, 1.1, 1, 1, 1};
  CHECK(evidence_of(worker::driver, samples, waiting_clock<true>).empty());
  CHECK_THAT(evidence_of(worker::processors, samples, waiting_clock<true>), ContainsSubstring("waited"));
  load_counters later = a_second_later();
  later.waited = .5;
  CHECK(disturbance({}, later, worker::driver, .03).empty());
  CHECK_THAT(disturbance({}, later, worker::driver, .05), ContainsSubstring("waited for a processor"));
  later.stops = 1;
  CHECK_THAT(disturbance({}, later, worker::driver, 0), ContainsSubstring("stopped"));
}

TEST_CASE("what other programs used is known to the nanosecond unless one is hidden or ended") {
  const thread_times from{{{1, 2.}, {7, .5}}, 100, true};
  const auto used = [&](const thread_times& to) { return seconds_of_others(from, to); };
  CHECK_THAT(used({{{1, 2.}, {7, .5001}}, 100, true}).value(), WithinAbs(1e-4, 1e-12));
  CHECK_THAT(used({{{1, 2.}, {7, .5}, {8, .25}}, 101, true}).value(), WithinAbs(.25, 1e-12));
  CHECK_FALSE(used({{{1, 2.}}, 100, true}));            // thread 7 ended
  CHECK_FALSE(used({{{1, 2.}, {7, .5}}, 101, true}));   // a thread came and ended
  CHECK_FALSE(used({{{1, 2.}, {8, .5}}, 101, true}));   // one ended, another came
  CHECK_FALSE(used({{{1, 2.}, {7, .5}}, 100, false}));  // some are hidden
  CHECK_FALSE(seconds_of_others({}, {{{1, 2.}}, 100, true}));
}

TEST_CASE(
    "where threads are hidden, the processors' counters have the last word on other programs, to their "
    "accuracy") {
  const auto share = [](double wall, double busy, double own) {
    load_and_threads to;
    to.load.wall = wall;
    to.load.busy = busy;
    to.load.own = own;
    return share_of_others({}, to);
  };
  CHECK_THAT(share(1, 1.3, 1), WithinAbs(.32, 1e-12));
  CHECK_THAT(share(1, .9, 1), WithinAbs(.02, 1e-12));
  CHECK(share(.1, .1, .1) > .04);  // too short to know
}

TEST_CASE("the time of a program that computes beside this one is seen") {
  const thread_times before = read_thread_times();
  if (!before.is_complete) SKIP("processes of this machine are hidden from this one");
  const pid_t child = fork();
  if (child == 0) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (std::chrono::steady_clock::now() < end) {
    }
    _exit(0);
  }
  const auto used_by_child = [&] {
    const thread_times now = read_thread_times();
    const auto found = now.seconds.find(child);
    return found == now.seconds.end() ? 0 : found->second;
  };
  double seen = 0;
  for (int again = 0; seen < .02 && again < 4000; ++again) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    seen = used_by_child();
  }
  CHECK(seen >= .02);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  CHECK(read_thread_times().seconds.at(getpid()) == 0);
}

TEST_CASE("of the programs that were busy on a GPU this one is no other, and none is taken for it") {
  constexpr unsigned own = 7;
  CHECK(others_among({}, {own}, own) == 0);
  CHECK(others_among({own}, {own}, own) == 0);
  CHECK(others_among({own, 9}, {own, 9}, own) == 1);
  CHECK(others_among({9}, {own, 9}, own) == 1);
  // In a container its number is another one, here 8.
  CHECK(others_among({8}, {8}, own) == 0);
  CHECK(others_among({8, 9}, {8, 9}, own) == 1);
  CHECK_FALSE(others_among({9}, {8, 9}, own).has_value());  // or 9 is this one
  CHECK(others_among({}, {8, 9}, own) == 0);
}
