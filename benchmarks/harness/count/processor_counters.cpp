// SPDX-License-Identifier: MIT
// One group of events, so that all three count the same time.
#include "benchmarks/harness/count/processor_counters.hpp"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

namespace reprise::counting {
namespace {

constexpr std::array<std::uint64_t, 3> events{PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
                                              PERF_COUNT_HW_CACHE_MISSES};

int open_event(std::uint64_t which, int leader) {
  perf_event_attr wanted{};
  wanted.size = sizeof(wanted);
  wanted.type = PERF_TYPE_HARDWARE;
  wanted.config = which;
  wanted.disabled = leader < 0;
  wanted.exclude_kernel = 1;
  wanted.exclude_hv = 1;
  wanted.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  return static_cast<int>(::syscall(SYS_perf_event_open, &wanted, 0, -1, leader, 0));
}

std::string reason_of(int code) {
  if (code == EACCES || code == EPERM) {
    std::string level = "unknown";
    std::ifstream("/proc/sys/kernel/perf_event_paranoid") >> level;
    return "perf events are not permitted here: kernel.perf_event_paranoid is " + level + ", 2 is enough";
  }
  if (code == ENOENT || code == ENODEV || code == EOPNOTSUPP)
    return "this machine has no counters of its processor, as most virtual machines";
  return std::string("perf_event_open failed: ") + std::strerror(code);
}

struct group_read {
  std::uint64_t count, enabled, running;
  std::array<std::uint64_t, 3> values;
};

}  // namespace

processor_counters::processor_counters() {
  for (std::size_t i = 0; i < events.size(); ++i) {
    files_[i] = open_event(events[i], i == 0 ? -1 : files_[0]);
    if (files_[i] >= 0) continue;
    missing_ = reason_of(errno);
    return;
  }
}

processor_counters::~processor_counters() {
  for (const int file : files_)
    if (file >= 0) ::close(file);
}

void processor_counters::start() {
  if (!missing_.empty()) return;
  ::ioctl(files_[0], PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
  ::ioctl(files_[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
}

processor_counts processor_counters::stop() {
  processor_counts counted;
  counted.missing = missing_;
  if (!missing_.empty()) return counted;
  ::ioctl(files_[0], PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
  group_read got{};
  if (::read(files_[0], &got, sizeof(got)) != static_cast<ssize_t>(sizeof(got)) ||
      got.enabled != got.running) {
    counted.missing = "other programs use the processor's counters";
    return counted;
  }
  counted.instructions = static_cast<std::int64_t>(got.values[0]);
  counted.branches = static_cast<std::int64_t>(got.values[1]);
  counted.cache_misses = static_cast<std::int64_t>(got.values[2]);
  return counted;
}

}  // namespace reprise::counting
