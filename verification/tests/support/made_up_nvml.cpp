// SPDX-License-Identifier: MIT
// Stands in for NVIDIA's management library on machines that have no GPU: one board, on which this program and another one run.
#include <unistd.h>

namespace {

struct use {
  unsigned pid;
  unsigned long long microseconds;
  unsigned sm, memory, encoder, decoder;
};

struct process {
  unsigned pid;
  unsigned long long memory_bytes;
  unsigned gpu_instance, compute_instance;
};

unsigned long long other_was_busy_at;  // microseconds since 1970; 0: never

}  // namespace

extern "C" {

void made_up_nvml_other_was_busy_at(unsigned long long microseconds) {
  other_was_busy_at = microseconds;
}

int nvmlInit_v2() {
  return 0;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char*, void** board) {
  *board = &other_was_busy_at;
  return 0;
}

int nvmlDeviceGetClockInfo(void*, int, unsigned* mhz) {
  *mhz = 1000;
  return 0;
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* bits) {
  *bits = 0;
  return 0;
}

int nvmlDeviceGetProcessUtilization(void*, use* uses, unsigned* count, unsigned long long since) {
  constexpr unsigned not_this_one = 1;
  *count = other_was_busy_at > since ? 1 : 0;
  if (*count > 0) uses[0] = {not_this_one, other_was_busy_at, 50, 10, 0, 0};
  return 0;
}

int nvmlDeviceGetComputeRunningProcesses_v3(void*, unsigned* count, process* all) {
  *count = 1;
  all[0] = {static_cast<unsigned>(getpid()), 1 << 20, 0, 0};
  return 0;
}
}
