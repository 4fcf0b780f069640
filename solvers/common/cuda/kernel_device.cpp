// SPDX-License-Identifier: MIT
// Asks the CUDA runtime what each kernel needs. The linker sends the program's registrations of kernels here first
// (--wrap=__cudaRegisterFunction), because the runtime has no list of them.
#include <cuda_runtime.h>

#include <utility>
#include <vector>

#include "solvers/common/base/kernel_needs.hpp"

extern "C" {
void __real___cudaRegisterFunction(void** file, const char* on_host, char* on_device, const char* name,
                                   int threads, uint3* thread, uint3* block, dim3* block_shape,
                                   dim3* grid_shape, int* warp_size);
void __wrap___cudaRegisterFunction(void** file, const char* on_host, char* on_device, const char* name,
                                   int threads, uint3* thread, uint3* block, dim3* block_shape,
                                   dim3* grid_shape, int* warp_size);
}

namespace reprise {
namespace {

// The kernels' places on the host, and their names. Filled before main().
std::vector<std::pair<const void*, const char*>>& kernels() {
  static std::vector<std::pair<const void*, const char*>> all;
  return all;
}

std::vector<kernel_need> ask() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return {};
  std::vector<kernel_need> needs;
  for (const auto& [kernel, name] : kernels()) {
    cudaFuncAttributes about{};
    if (cudaFuncGetAttributes(&about, kernel) != cudaSuccess)
      continue;  // none for this device's architecture
    needs.push_back({"sm_" + std::to_string(about.binaryVersion), name, about.numRegs,
                     static_cast<long>(about.localSizeBytes), static_cast<long>(about.sharedSizeBytes)});
  }
  static_cast<void>(cudaGetLastError());
  return needs;
}

const kernel_asker_registration registered(ask);

}  // namespace
}  // namespace reprise

void __wrap___cudaRegisterFunction(void** file, const char* on_host, char* on_device, const char* name,
                                   int threads, uint3* thread, uint3* block, dim3* block_shape,
                                   dim3* grid_shape, int* warp_size) {
  reprise::kernels().emplace_back(on_host, name);
  __real___cudaRegisterFunction(file, on_host, on_device, name, threads, thread, block, block_shape,
                                grid_shape, warp_size);
}
