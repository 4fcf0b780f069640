// SPDX-License-Identifier: MIT
// The sides spin, because a process that sleeps starts some microseconds late.
#include "benchmarks/harness/duel/meeting.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <chrono>

#include "solvers/common/base/error.hpp"

namespace reprise::duels {
namespace {

constexpr std::size_t meeting_bytes = sizeof(std::atomic<std::uint32_t>);

}  // namespace

shared_memory::shared_memory() : file_(::memfd_create("meeting", 0)) {
  if (file_ < 0 || ::ftruncate(file_, meeting_bytes) != 0)
    throw error("memfd_create failed: the sides of a duel cannot meet");
}

shared_memory::~shared_memory() {
  ::close(file_);
}

meeting_point::meeting_point(int file) {
  static_assert(std::atomic<std::uint32_t>::is_always_lock_free);
  void* const place = ::mmap(nullptr, meeting_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (place == MAP_FAILED) throw error("mmap of the meeting point of a duel failed");
  arrived_ = static_cast<std::atomic<std::uint32_t>*>(place);
}

meeting_point::~meeting_point() {
  ::munmap(arrived_, meeting_bytes);
}

void meeting_point::meet(std::uint32_t number) {
  using clock = std::chrono::steady_clock;
  const auto until = clock::now() + std::chrono::seconds(30);
  arrived_->fetch_add(1);
  while (arrived_->load() < 2 * number)
    if (clock::now() > until) throw error("the other side of the duel did not come to the start");
}

}  // namespace reprise::duels
