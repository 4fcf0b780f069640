// SPDX-License-Identifier: MIT
// The process's count of launches; ranks may be threads.
#include "solvers/common/base/launches.hpp"

#include <atomic>

namespace reprise {
namespace {

std::atomic<long long> made{0};

}  // namespace

void count_launch() {
  made.fetch_add(1, std::memory_order_relaxed);
}

long long launches_made() {
  return made.load(std::memory_order_relaxed);
}

}  // namespace reprise
