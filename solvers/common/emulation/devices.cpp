// SPDX-License-Identifier: MIT
// Keeps the emulated devices and their planted faults, and registers the default device.
#include "solvers/common/emulation/devices.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "solvers/common/base/device.hpp"
#include "solvers/common/base/error.hpp"
#include "solvers/common/emulation/control.hpp"

namespace reprise::cuda_emulated {
namespace {

struct planted_fault {
  std::string call;
  int calls_to_go_well;
  cudaError_t code;
  bool is_lasting;
};

struct device_record {
  std::size_t memory_bytes;
  std::vector<planted_fault> faults;
  cudaError_t lost_with{cudaSuccess};
  compiled_code code{};
};

std::mutex& guard() {
  static std::mutex mutex;
  return mutex;
}

std::vector<device_record>& records() {
  static std::vector<device_record> devices{{.memory_bytes = memory_bytes, .faults = {}}};
  return devices;
}

thread_local int in_use = 0;
std::atomic<long long> overlapped_launches_so_far{0};
std::atomic<long long> launches_with_shared_memory{0};
std::atomic<long long> launches_of_resident_blocks{0};

discovery find_emulated() {
  device d;
  d.kind = backend::emulated;
  d.id = "emulated";
  d.name = "CUDA emulation on the CPU";
  d.driver = "fibers of Boost.Context";
  d.memory_bytes = memory_bytes;
  d.cache_bytes = l2_bytes;
  return {{d}, ""};
}

const backend_registration registered(backend::emulated, find_emulated);

}  // namespace

int device_count() {
  const std::scoped_lock lock(guard());
  return static_cast<int>(records().size());
}

int current_device() {
  return in_use;
}

void set_current_device(int index) {
  in_use = index;
}

std::size_t memory_bytes_of(int index) {
  const std::scoped_lock lock(guard());
  return records().at(static_cast<std::size_t>(index)).memory_bytes;
}

compiled_code code_on(int index) {
  const std::scoped_lock lock(guard());
  return records().at(static_cast<std::size_t>(index)).code;
}

void count_overlapped() {
  ++overlapped_launches_so_far;
}

void count_launch_with(bool shared_memory, bool resident_blocks) {
  if (shared_memory) ++launches_with_shared_memory;
  if (resident_blocks) ++launches_of_resident_blocks;
}

cudaError_t planted(std::string_view call) {
  const std::scoped_lock lock(guard());
  device_record& device = records().at(static_cast<std::size_t>(in_use));
  if (device.lost_with != cudaSuccess) return device.lost_with;
  const auto due = std::find_if(device.faults.begin(), device.faults.end(), [&](planted_fault& fault) {
    return fault.call == call && fault.calls_to_go_well-- <= 0;
  });
  if (due == device.faults.end()) return cudaSuccess;
  const cudaError_t code = due->code;
  if (due->is_lasting) device.lost_with = code;
  device.faults.erase(due);
  return code;
}

}  // namespace reprise::cuda_emulated

namespace reprise::cuda {
inline namespace emulation {

void have_devices(const std::vector<std::size_t>& memory_bytes) {
  const std::scoped_lock lock(cuda_emulated::guard());
  auto& devices = cuda_emulated::records();
  devices.clear();
  for (const std::size_t bytes : memory_bytes) devices.push_back({.memory_bytes = bytes, .faults = {}});
}

void have_code(int device, const architectures& a) {
  const std::scoped_lock lock(cuda_emulated::guard());
  cuda_emulated::records().at(static_cast<std::size_t>(device)).code = {a.device, a.binary, a.source};
}

long long overlapped_launches() {
  return cuda_emulated::overlapped_launches_so_far;
}

launch_kinds launches_seen() {
  return {cuda_emulated::launches_with_shared_memory, cuda_emulated::launches_of_resident_blocks};
}

void plant(const fault& f) {
  const auto code = cuda_emulated::find_code(f.code);
  if (!code) throw error("the emulation knows no error code " + f.code);
  const std::scoped_lock lock(cuda_emulated::guard());
  cuda_emulated::records()
      .at(static_cast<std::size_t>(f.device))
      .faults.push_back({f.call, f.calls_to_go_well, *code, f.is_lasting});
}

}  // namespace emulation
}  // namespace reprise::cuda
