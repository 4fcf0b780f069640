// SPDX-License-Identifier: MIT
// Finds out what kept this program from its work while it was timed: other programs on its processors, a quota,
// another virtual machine, or a stop.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "benchmarks/harness/other_programs.hpp"

namespace reprise::harness {

// Counters at one moment. All times are in seconds since fixed moments. A counter that the system does not have stays 0.
struct load_counters {
  double wall{};
  double own{};          // processor time of this program
  double waited{};       // its threads stood in a run queue; a sum over threads
  double busy{};         // processor time of all programs
  double stolen{};       // the hypervisor gave a processor to another machine
  int processor{-1};     // on which the thread that reads the counters is
  double stolen_here{};  // from this processor
  double throttled{};    // a quota of the control group held this program back
  long switches{};       // a thread had to leave its processor
  long stops{};          // the program was stopped and continued
  double crowding{1};    // of the cores that do the timed work; read apart from the others, like
  double distance{1};    // of the processors of a bound team
};

load_counters read_load();

// What samples that follow each other at once began or ended with.
struct load_and_threads {
  thread_times threads;
  load_counters load;
};

// Takes milliseconds. Beside made-up counters no thread is known.
thread_times read_threads_beside_load();

// The processor time of other programs as a share of the time between two moments. It is what their threads used, or where that is
// not known no less than the processors' counters allow.
double share_of_others(const load_and_threads& from, const load_and_threads& to);

// Tests put made-up counters in place of the system's. Returns what was there.
using load_source = load_counters (*)();
load_source replace_load_source(load_source by);

// Whether disturbed times count all the same, and only say so: with REPRISE_DISTURBANCE=noted in the environment. Throws
// bad_input for another value.
bool disturbances_are_only_noted();

// Who does the timed work: this thread, its OpenMP threads that are all bound, free threads of a library beside it, threads of a
// driver for processors, or a device of its own.
enum class worker { processors, bound_team, library, driver, device };

// What disturbed the work between two moments, in words; empty if nothing did. Other programs on the remaining processors
// disturb only what runs on processors, as they share caches and memory with it. `others` is their share of the time around the
// two moments: where it is next to nothing, threads of a driver waited for each other, as they do each time.
std::string disturbance(const load_counters& from, const load_counters& to, worker by,
                        double others = std::numeric_limits<double>::infinity());

// What disturbed a single run of several threads, as far as the distance of their processors tells afterwards.
std::string disturbance_by_distance();

// Splits a row of samples into windows, and tells the ones that were disturbed from the others. A window is at least as long
// as the system's counters need to tell. A device works on while the program waits for a processor: such a wait disturbs its
// samples only where they are longer than the shortest one.
class sample_watch {
 public:
  // `is_close_knit`: threads wait for each other so often that the distance of their processors matters.
  explicit sample_watch(worker by, bool is_close_knit = true);
  void begin();              // before samples that follow each other at once
  void add(double seconds);  // after each of them
  void end();                // after the last of them
  std::vector<double> undisturbed() const;
  const std::vector<double>& all() const { return samples_; }
  std::string evidence() const;  // of the first disturbed window; empty if there is none

 private:
  struct window {
    std::size_t first;
    load_counters from, to;
    std::size_t series;  // of windows that follow each other at once
  };
  load_counters counters_now() const;
  load_counters counters_to_begin() const;
  load_counters counters_to_end() const;
  void close_window(const load_counters& now);
  std::string disturbance_in(const window& w) const;
  bool is_disturbed(std::size_t w) const;
  std::vector<double> samples_of(std::size_t w) const;

  worker by_;
  bool is_close_knit_;
  std::vector<double> samples_;
  std::vector<window> windows_;
  load_and_threads begun_;
  std::vector<double> others_;  // their share of each series
};

}  // namespace reprise::harness
