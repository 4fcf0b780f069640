// SPDX-License-Identifier: MIT
// Reads affinity masks and quotas, and binds threads.
#include "solvers/common/base/host_processors.hpp"

#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>
#include <system_error>

#include "solvers/common/base/control_groups.hpp"
#include "solvers/common/base/error.hpp"

namespace reprise {
namespace {

namespace fs = std::filesystem;

// Processors' worth of time that the group allows; infinite without a quota. Version 2 writes "200000 100000" or "max 100000".
double quota_of(const control_group& group) {
  double quota = 0;
  double period = 0;
  if (group.is_version_2) {
    std::ifstream in(group.folder / "cpu.max");
    if (!(in >> quota >> period)) quota = 0;
  } else {
    std::ifstream(group.folder / "cpu.cfs_quota_us") >> quota;
    std::ifstream(group.folder / "cpu.cfs_period_us") >> period;
  }
  return quota > 0 && period > 0 ? quota / period : std::numeric_limits<double>::infinity();
}

constexpr pid_t this_thread = 0;

// Empty for a thread that has ended.
std::vector<int> processors_of(pid_t thread) {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> all;
  if (sched_getaffinity(thread, sizeof set, &set) != 0) return all;
  for (int processor = 0; processor < CPU_SETSIZE; ++processor)
    if (CPU_ISSET(static_cast<std::size_t>(processor), &set)) all.push_back(processor);
  return all;
}

void confine(pid_t thread, const std::vector<int>& processors) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int processor : processors) CPU_SET(static_cast<std::size_t>(processor), &set);
  sched_setaffinity(thread, sizeof set, &set);
}

std::vector<pid_t> bound;

}  // namespace

std::vector<int> allowed_processors() {
  return processors_of(this_thread);
}

std::vector<pid_t> threads_of_program() {
  std::vector<pid_t> all;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator("/proc/self/task", failed))
    all.push_back(std::stoi(entry.path().filename().string()));
  std::ranges::sort(all);
  return all;
}

void stay_on(const std::vector<int>& processors) {
  confine(this_thread, processors);
}

int usable_processors(const fs::path& root) {
  // OpenMP knows the processors of the whole program, also where OMP_PROC_BIND has confined this thread to one of them.
  auto most = static_cast<double>(std::max(1, omp_get_num_procs()));
  for (const control_group& group : control_groups(root, "cpu"))
    most = std::min(most, std::ceil(quota_of(group)));
  return static_cast<int>(most);
}

void settle_threads(int programs) {
  if (std::getenv("OMP_NUM_THREADS") == nullptr)
    omp_set_num_threads(std::max(1, usable_processors() / programs));
}

void require_processors_for_threads() {
  const int threads = omp_get_max_threads();
  const int usable = usable_processors();
  if (threads <= usable) return;
  const std::string count = std::to_string(usable);
  throw bad_input("OMP_NUM_THREADS asks for " + std::to_string(threads) +
                  " threads, and this process may use " + count +
                  (usable == 1 ? " processor" : " processors") + ": give at most " + count);
}

bool is_told_where_threads_go() {
  return std::getenv("OMP_PROC_BIND") != nullptr || std::getenv("OMP_PLACES") != nullptr;
}

bound_threads::bound_threads() {
  if (is_told_where_threads_go()) return;
  processors_ = allowed_processors();
  if (processors_.empty()) return;
#pragma omp parallel
  {
#pragma omp single
    bound.resize(static_cast<std::size_t>(omp_get_num_threads()) - 1);
    // Threads that start later inherit the mask of the one that starts them. So the first thread stays free: bound, it
    // would confine those of a larger team, or of a library, to its one processor.
    const auto own = static_cast<std::size_t>(omp_get_thread_num());
    if (own > 0) {
      stay_on({processors_[own % processors_.size()]});
      bound[own - 1] = gettid();
    }
  }
}

const std::vector<pid_t>& threads_bound_now() {
  return bound;
}

bound_threads::~bound_threads() {
  bound.clear();
  if (processors_.empty()) return;
#pragma omp parallel
  stay_on(processors_);
}

bound_first_thread::bound_first_thread() {
  if (is_told_where_threads_go()) return;
  processors_ = allowed_processors();
  if (processors_.empty()) return;
  if (processors_.size() > 1) {
    const std::vector<int> others(processors_.begin() + 1, processors_.end());
    for (const pid_t thread : threads_of_program())
      if (thread != gettid() && processors_of(thread) == processors_) {
        confine(thread, others);
        moved_.push_back(thread);
      }
  }
  stay_on({processors_.front()});
}

bound_first_thread::~bound_first_thread() {
  for (const pid_t thread : moved_) confine(thread, processors_);
  if (!processors_.empty()) stay_on(processors_);
}

}  // namespace reprise
