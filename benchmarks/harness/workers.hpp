// SPDX-License-Identifier: MIT
// Finds out which of this program's threads do the timed work, and whether it starts them: this decides what can disturb it.
#pragma once

#include <sys/types.h>

#include <map>

#include "benchmarks/harness/disturbance.hpp"
#include "benchmarks/harness/scheduling.hpp"

namespace reprise::harness {

// The processor time of this program, also of threads that have ended, of the calling thread, and of each thread.
struct processor_time {
  double all{}, here{};
  std::map<pid_t, thread_account> threads;
};

processor_time processor_time_now();

// Who worked on the processors between two moments, which should be 50 ms apart: the kernel accounts for up to 4 ms at once, and
// OpenMP's threads wait busily for some milliseconds after they have worked.
worker worker_between(const processor_time& from, const processor_time& to);

enum class team {
  none,     // one thread does the work
  lasting,  // several do it, which stay
  started,  // the work starts some of its threads each time: they end with it
};

// Which threads worked on the processors between two such moments. Of moments that are closer it may miss threads.
team team_between(const processor_time& from, const processor_time& to);

}  // namespace reprise::harness
