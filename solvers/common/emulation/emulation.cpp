// SPDX-License-Identifier: MIT
// The functions that kernels and launches call. Each is forwarded to the calling thread's current launch.
#include "solvers/common/emulation/emulation.hpp"

#include <cstddef>
#include <string>

#include "solvers/common/base/error.hpp"
#include "solvers/common/emulation/devices.hpp"
#include "solvers/common/emulation/grid.hpp"

namespace reprise::cuda_emulated {
namespace {

thread_local grid_run* active = nullptr;

struct under_way {
  explicit under_way(grid_run& run) { active = &run; }
  under_way(const under_way&) = delete;
  under_way& operator=(const under_way&) = delete;
  ~under_way() { active = nullptr; }
};

grid_run& launched() {
  if (active == nullptr) throw error("a device function was called outside a launch");
  return *active;
}

cudaError_t refusal(const launch_shape& shape) {
  if (const cudaError_t code = planted("launch"); code != cudaSuccess) return code;
  const std::size_t threads = volume(shape.block);
  if (threads == 0 || threads > threads_per_block || shape.block.z > 64) return cudaErrorInvalidConfiguration;
  const dim3& grid = shape.grid;
  if (volume(grid) == 0 || grid.x > 0x7fffffffU || grid.y > 65535 || grid.z > 65535)
    return cudaErrorInvalidConfiguration;
  if (shape.shared_bytes > shared_bytes_optin) return cudaErrorInvalidValue;
  int per_multiprocessor = 0;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, nullptr, static_cast<int>(threads),
                                                shape.shared_bytes);
  const auto resident = static_cast<std::size_t>(per_multiprocessor) * multiprocessors;
  if (shape.resident && volume(grid) > resident) return cudaErrorCooperativeLaunchTooLarge;
  return cudaSuccess;
}

}  // namespace

cudaError_t run_grid(const launch_shape& shape, void (*run_thread)(const void*), const void* kernel) {
  if (active != nullptr) throw error("a kernel launched a kernel");
  const cudaError_t code = refusal(shape);
  if (code != cudaSuccess) return remember(code);
  grid_run run(shape, run_thread, kernel);
  const under_way mark(run);
  run.run();
  if (shape.overlapped) count_overlapped();
  return cudaSuccess;
}

void* shared_array(const void* site, std::size_t bytes) {
  return launched().shared_array(site, bytes);
}

void* dynamic_shared() {
  return launched().dynamic_shared();
}

void pause() {
  launched().pause();
}

void wait_for_preceding() {
  launched().wait_for_preceding();
}

std::uint64_t meet(warp_operation kind, unsigned mask, std::uint64_t bits, int source,
                   std::source_location where) {
  return launched().meet(kind, mask, bits, source, where);
}

int lane() {
  return static_cast<int>(launched().rank() % warpSize);
}

void require_device_memory(const volatile void* argument, std::size_t position) {
  if (argument != nullptr && !is_device_memory(const_cast<const void*>(argument)))
    throw error("argument " + std::to_string(position) +
                " of a kernel points to memory that is not the device's");
}

}  // namespace reprise::cuda_emulated

void reprise::cuda_language::__syncthreads(std::source_location where) {
  cuda_emulated::launched().barrier(where);
}
