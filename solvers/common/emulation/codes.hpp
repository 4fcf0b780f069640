// SPDX-License-Identifier: MIT
// The error codes of the emulated CUDA runtime, and the last one.
#pragma once

#include <optional>
#include <string_view>

namespace reprise::cuda_language {

// The codes have the same numbers as in the real runtime.
enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorInvalidDeviceFunction = 98,
  cudaErrorInvalidDevice = 101,
  cudaErrorMapBufferObjectFailed = 205,
  cudaErrorNoKernelImageForDevice = 209,
  cudaErrorUnsupportedPtxVersion = 222,
  cudaErrorJitCompilationDisabled = 223,
  cudaErrorInvalidResourceHandle = 400,
  cudaErrorIllegalAddress = 700,
  cudaErrorLaunchOutOfResources = 701,
  cudaErrorLaunchTimeout = 702,
  cudaErrorLaunchFailure = 719,
  cudaErrorCooperativeLaunchTooLarge = 720,
  cudaErrorInvalidClusterSize = 912,
  cudaErrorUnknown = 999,
};
const char* cudaGetErrorName(cudaError_t code);
const char* cudaGetErrorString(cudaError_t code);
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();

}  // namespace reprise::cuda_language

namespace reprise::cuda_emulated {

using namespace cuda_language;

// Stores a code as the runtime's last error, and returns it.
cudaError_t remember(cudaError_t code);

// The code of this name; nothing if the emulation does not know it.
std::optional<cudaError_t> find_code(std::string_view name);

}  // namespace reprise::cuda_emulated
