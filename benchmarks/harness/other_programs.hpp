// SPDX-License-Identifier: MIT
// Measures how long other programs run. The kernel keeps each thread's time in nanoseconds, the processors' in hundredths of a
// second only.
#pragma once

#include <optional>
#include <unordered_map>

namespace reprise::harness {

// How long each thread of this machine has run, read at one moment.
struct thread_times {
  std::unordered_map<long, double>
      seconds;         // on a processor, by the thread's number; 0 for threads of this program
  long created{};      // so many threads and processes since the machine started
  bool is_complete{};  // no program is hidden from this one
};

thread_times read_thread_times();

// Seconds that threads of other programs ran between two moments. Empty if that is not known: some are hidden, or ended
// meanwhile.
std::optional<double> seconds_of_others(const thread_times& from, const thread_times& to);

}  // namespace reprise::harness
