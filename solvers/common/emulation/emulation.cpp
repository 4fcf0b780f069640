// SPDX-License-Identifier: MIT
// The functions that kernels and launches call. Each is forwarded to the calling thread's current launch.
#include "solvers/common/emulation/emulation.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "solvers/common/base/error.hpp"
#include "solvers/common/emulation/devices.hpp"
#include "solvers/common/emulation/grid.hpp"
#include "solvers/common/emulation/traffic.hpp"

namespace reprise::cuda_emulated {
namespace {

thread_local grid_run* active = nullptr;
thread_local bool uses_shared_memory = false;  // the active launch

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
  if (shape.cluster == 0 || shape.cluster > blocks_per_cluster || volume(grid) % shape.cluster != 0)
    return cudaErrorInvalidClusterSize;
  if (shape.cluster > 1 && code_on(current_device()).source < 90) return cudaErrorInvalidClusterSize;
  return cudaSuccess;
}

}  // namespace

cudaError_t run_grid(const launch_shape& shape, void (*run_thread)(const void*), const void* kernel) {
  if (active != nullptr) throw error("a kernel launched a kernel");
  const cudaError_t code = refusal(shape);
  if (code != cudaSuccess) return remember(code);
  count_launch();
  grid_run run(shape, run_thread, kernel);
  const under_way mark(run);
  uses_shared_memory = false;
  run.run();
  count_launch_with(uses_shared_memory, shape.resident && volume(shape.grid) > 1);
  if (shape.overlapped) count_overlapped();
  return cudaSuccess;
}

void* shared_array(const void* site, std::size_t bytes) {
  uses_shared_memory = true;
  return launched().shared_array(site, bytes);
}

void* dynamic_shared() {
  uses_shared_memory = true;
  return launched().dynamic_shared();
}

void pause() {
  launched().pause();
}

void named_barrier(unsigned which, unsigned count, std::source_location where) {
  launched().named_barrier(which, count, where);
}

void arrive_at_barrier(unsigned which, unsigned count, std::source_location where) {
  launched().arrive_at_barrier(which, count, where);
}

void cluster_barrier(std::source_location where) {
  launched().cluster_barrier(where);
}

unsigned rank_in_cluster() {
  return launched().rank_in_cluster();
}

std::byte* in_block(const void* here, unsigned rank) {
  return launched().in_block(here, rank);
}

void send(std::byte* to, const void* value, std::size_t bytes, std::byte* box) {
  message m{.to = to, .bytes = bytes, .from = nullptr, .value = {}, .box = reinterpret_cast<mailbox*>(box)};
  std::memcpy(m.value.data(), value, bytes);
  launched().send(m);
}

void send_from(std::byte* to, const void* from, std::size_t bytes, mailbox* box) {
  launched().send({to, bytes, static_cast<const std::byte*>(from), {}, box});
}

// All lanes meet twice: when the operands of all are known, and when nobody needs them any more.
void multiply_add_8x8x4(double2& c, double a, double b) {
  constexpr unsigned all = 0xffffffffU;
  const double2 mine{a, b};
  const auto where = std::source_location::current();
  const auto address = reinterpret_cast<std::uintptr_t>(&mine);
  launched().meet(warp_operation::synchronize, all, address, 0, where);
  const auto of_lane = [](int i) { return *reinterpret_cast<const double2*>(launched().bits_of(i)); };
  const int self = lane(), row = self / 4, column = 2 * (self % 4);
  for (int k = 0; k < 4; ++k) {
    const double left = of_lane(4 * row + k).x;
    c.x = std::fma(left, of_lane(4 * column + k).y, c.x);
    c.y = std::fma(left, of_lane(4 * (column + 1) + k).y, c.y);
  }
  launched().meet(warp_operation::synchronize, all, address, 0, where);
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
