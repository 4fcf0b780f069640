// SPDX-License-Identifier: MIT
// Reads affinity masks and quotas, and binds threads.
#include "solvers/common/base/host_processors.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>

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

bool is_told_where_threads_go() {
  return std::getenv("OMP_PROC_BIND") != nullptr || std::getenv("OMP_PLACES") != nullptr;
}

}  // namespace

std::vector<int> allowed_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> all;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return all;
  for (int processor = 0; processor < CPU_SETSIZE; ++processor)
    if (CPU_ISSET(static_cast<std::size_t>(processor), &set)) all.push_back(processor);
  return all;
}

void stay_on(const std::vector<int>& processors) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int processor : processors) CPU_SET(static_cast<std::size_t>(processor), &set);
  sched_setaffinity(0, sizeof set, &set);
}

int usable_processors(const fs::path& root) {
  auto most = static_cast<double>(std::max<std::size_t>(1, allowed_processors().size()));
  for (const control_group& group : control_groups(root, "cpu"))
    most = std::min(most, std::ceil(quota_of(group)));
  return static_cast<int>(most);
}

void settle_threads() {
  if (std::getenv("OMP_NUM_THREADS") == nullptr) omp_set_num_threads(usable_processors());
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

bound_threads::bound_threads() {
  if (is_told_where_threads_go()) return;
  processors_ = allowed_processors();
  if (processors_.empty()) return;
#pragma omp parallel
  {
    // Threads that start later inherit the mask of the one that starts them. So the first thread stays free: bound, it
    // would confine those of a larger team, or of a library, to its one processor.
    const auto own = static_cast<std::size_t>(omp_get_thread_num());
    if (own > 0) stay_on({processors_[own % processors_.size()]});
  }
}

bound_threads::~bound_threads() {
  if (processors_.empty()) return;
#pragma omp parallel
  stay_on(processors_);
}

bound_first_thread::bound_first_thread() {
  if (is_told_where_threads_go()) return;
  processors_ = allowed_processors();
  if (!processors_.empty()) stay_on({processors_.front()});
}

bound_first_thread::~bound_first_thread() {
  if (!processors_.empty()) stay_on(processors_);
}

}  // namespace reprise
