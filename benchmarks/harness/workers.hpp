// SPDX-License-Identifier: MIT
// Finds out which of this program's threads do the timed work: this decides what can disturb it.
#pragma once

#include <vector>

#include "benchmarks/harness/disturbance.hpp"

namespace reprise::harness {

// The processor time of this program, of the calling thread, and of each OpenMP thread that is bound.
struct processor_time {
  double all{}, here{};
  std::vector<double> team;
};

processor_time processor_time_now();

// Who worked on the processors between two moments, which should be 50 ms apart: the kernel accounts for up to 4 ms at once, and
// OpenMP's threads wait busily for some milliseconds after they have worked.
worker worker_between(const processor_time& from, const processor_time& to);

}  // namespace reprise::harness
