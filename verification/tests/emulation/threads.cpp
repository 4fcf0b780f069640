// SPDX-License-Identifier: MIT
// Several threads use everything that threads may share: the emulated devices, their memory and
// their planted faults. Built with ThreadSanitizer, which ends the program with its own exit
// status if it finds a data race.
#include <cstdio>
#include <numeric>
#include <thread>
#include <vector>

#include "verification/tests/support/emulation.hpp"

namespace {

using namespace reprise;

constexpr int threads = 4;
constexpr int rounds = 50;
constexpr std::size_t count = 256;

__global__ void add(float* values, float amount) {
  REPRISE_SHARED_ARRAY(float, tile, [64]);
  const auto i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = values[i];
  __syncthreads();
  values[i] = tile[threadIdx.x] + amount;
}

// One round on the device that belongs to the thread's number. Returns whether the answer is right.
bool is_right(int thread) {
  device mine;
  mine.index = thread % 2;
  cuda::use_device(mine);
  cuda::buffer<float> memory(count);
  std::vector<float> values(count, static_cast<float>(thread));
  memory.upload(values.data(), count);
  cuda::launch(add, count / 64, 64, 0, nullptr, memory.data(), 1.0F);
  memory.download(values.data(), count);
  return values == std::vector<float>(count, static_cast<float>(thread + 1));
}

// A planted fault is thrown once, in any of the threads that use the device.
bool is_right_or_told(int thread, int round) {
  try {
    if (round % 10 == 0)
      cuda::plant({.device = thread % 2, .call = "cudaMalloc", .code = "cudaErrorMemoryAllocation"});
    return is_right(thread);
  } catch (const unavailable&) {
    return true;
  }
}

}  // namespace

int main() {
  cuda::have_devices({std::size_t{1} << 20U, std::size_t{1} << 20U});
  std::vector<int> wrong(threads);
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t)
    running.emplace_back([t, &wrong] {
      for (int r = 0; r < rounds; ++r) wrong[static_cast<std::size_t>(t)] += is_right_or_told(t, r) ? 0 : 1;
    });
  for (std::thread& one : running) one.join();
  const int all = std::accumulate(wrong.begin(), wrong.end(), 0);
  std::printf("%d threads, %d rounds each, %d wrong\n", threads, rounds, all);
  return all == 0 ? 0 : 1;
}
