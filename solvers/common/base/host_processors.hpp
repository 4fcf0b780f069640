// SPDX-License-Identifier: MIT
// The processors that this process may use, and threads bound to them.
#pragma once

#include <sched.h>
#include <sys/types.h>

#include <filesystem>
#include <vector>

namespace reprise {

// Numbers of the processors in this process's affinity mask.
std::vector<int> allowed_processors();

// The threads of this program at the moment, sorted.
std::vector<pid_t> threads_of_program();

// Confines the calling thread to these processors.
void stay_on(const std::vector<int>& processors);

// As many as are allowed, or fewer where the quota of a control group (version 1 or 2) has no time for more.
int usable_processors(const std::filesystem::path& root = "/");

// As many OpenMP threads as there are usable processors for each of the programs that share them, unless OMP_NUM_THREADS says
// otherwise.
void settle_threads(int programs = 1);

// Throws bad_input if OpenMP would start more threads than there are usable processors: they would wait for one another.
void require_processors_for_threads();

// Whether OMP_PROC_BIND or OMP_PLACES says where threads go.
bool is_told_where_threads_go();

// While it lives, each of this thread's OpenMP threads but itself stays on one of the allowed processors. Does nothing
// where OMP_PROC_BIND or OMP_PLACES says where threads go.
class bound_threads {
 public:
  bound_threads();
  ~bound_threads();
  bound_threads(const bound_threads&) = delete;
  bound_threads& operator=(const bound_threads&) = delete;

 private:
  std::vector<int> processors_;
};

// The threads that an instance of bound_threads has bound at the moment.
const std::vector<pid_t>& threads_bound_now();

// While it lives, this thread stays on the first of the allowed processors, away from the OpenMP threads that are bound to the
// others. Threads of a library, which are free, leave this processor to it. Threads must not be started meanwhile: they would
// inherit its processor. Does nothing where bound_threads does nothing.
class bound_first_thread {
 public:
  bound_first_thread();
  ~bound_first_thread();
  bound_first_thread(const bound_first_thread&) = delete;
  bound_first_thread& operator=(const bound_first_thread&) = delete;

 private:
  std::vector<int> processors_;
  std::vector<pid_t> moved_;
};

}  // namespace reprise
