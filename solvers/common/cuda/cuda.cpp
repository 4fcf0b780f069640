// SPDX-License-Identifier: MIT
// Finds the CUDA devices, or the reason why there are none. Built only if the CUDA Toolkit is present.
#include <cuda_runtime.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <string>

#include "solvers/common/base/device.hpp"

namespace reprise {
namespace {

// CUDA encodes version 13.0 as 13000.
std::string version_text(int number) {
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

std::string no_device_reason(cudaError_t code, int driver, int runtime) {
  if (driver == 0) return "no CUDA device: no NVIDIA driver is loaded";
  if (driver < runtime)
    return "no CUDA device: the driver is for CUDA " + version_text(driver) + ", the program for CUDA " +
           version_text(runtime) + ": install a newer driver, or build with an older toolkit";
  return std::string("no CUDA device: ") + cudaGetErrorString(code) +
         "; see that nvidia-smi lists the GPU and that CUDA_VISIBLE_DEVICES does not hide it";
}

device describe(int index, const cudaDeviceProp& properties, const std::string& versions) {
  device d;
  d.kind = backend::cuda;
  d.index = index;
  d.id = "cuda:" + std::to_string(index);
  d.name = properties.name;
  d.driver = versions;
  d.memory_bytes = properties.totalGlobalMem;
  d.cache_bytes = static_cast<std::size_t>(properties.l2CacheSize);
  std::array<char, 32> address{};
  std::snprintf(address.data(), address.size(), "%04x:%02x:%02x.0", properties.pciDomainID,
                properties.pciBusID, properties.pciDeviceID);
  d.pci = address.data();
  d.in_host_memory = properties.integrated != 0;
  return d;
}

discovery find_cuda() {
  int driver = 0;
  int runtime = 0;
  // Both calls work without a device. If one fails, its version stays 0.
  static_cast<void>(cudaDriverGetVersion(&driver));
  static_cast<void>(cudaRuntimeGetVersion(&runtime));
  int count = 0;
  cudaError_t code = cudaGetDeviceCount(&count);
  if (code == cudaSuccess && count == 0) code = cudaErrorNoDevice;
  if (code != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return {{}, no_device_reason(code, driver, runtime)};
  }
  const std::string versions = "driver " + version_text(driver) + ", runtime " + version_text(runtime);
  discovery found;
  for (int index = 0; index < count; ++index) {
    cudaDeviceProp properties{};
    code = cudaGetDeviceProperties(&properties, index);
    if (code == cudaSuccess) found.devices.push_back(describe(index, properties, versions));
  }
  if (found.devices.empty()) found.reason = no_device_reason(code, driver, runtime);
  return found;
}

const backend_registration registered(backend::cuda, find_cuda);

}  // namespace
}  // namespace reprise
