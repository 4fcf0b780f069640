// SPDX-License-Identifier: MIT
// Tests what counts as a disturbance of timed work.
#include "benchmarks/harness/disturbance.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

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
                                  {&load_counters::busy, .2, .4, "other programs"}};
  for (const cause& c : causes) {
    CAPTURE(c.words);
    CHECK(after_a_second(c.counter, c.harmless, worker::processors).empty());
    CHECK_THAT(after_a_second(c.counter, c.harmful, worker::processors), ContainsSubstring(c.words));
  }
  load_counters stopped = a_second_later();
  stopped.stops = 1;
  CHECK_THAT(disturbance({}, stopped, worker::device), ContainsSubstring("stopped"));
}

TEST_CASE("other programs on the host do not disturb work on a device") {
  CHECK(after_a_second(&load_counters::busy, 1, worker::device).empty());
  CHECK_FALSE(after_a_second(&load_counters::waited, .1, worker::device).empty());
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

// A clock that moves on by a tenth of a second with each reading, in which a thread waits for a processor half of the time.
load_counters waiting_clock() {
  static load_counters now;
  now.wall += .1;
  now.waited += .05;
  return now;
}

std::string evidence_of(worker by, const std::vector<double>& samples) {
  const load_source before = replace_load_source(waiting_clock);
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
