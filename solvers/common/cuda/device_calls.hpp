// SPDX-License-Identifier: MIT
// What code of this program a CUDA device runs, for doctor and for the rows of a run.
#pragma once

#include "solvers/common/base/device_code.hpp"
#include "solvers/common/cuda/call.hpp"

namespace reprise::cuda {
inline namespace REPRISE_CUDA_FLAVOUR {

template <class>
__global__ void asked_for_its_code() {}

// All kernels are compiled for the same architectures, so one of them answers for all.
inline device_code code_on(const device& d) {
  use_device(d);
  const int own =
      10 * attribute(cudaDevAttrComputeCapabilityMajor) + attribute(cudaDevAttrComputeCapabilityMinor);
  cudaFuncAttributes about{};
  const auto* const kernel = reinterpret_cast<const void*>(&asked_for_its_code<void>);
  const cudaError_t code = cudaFuncGetAttributes(&about, kernel);
  if (code == cudaErrorNoKernelImageForDevice || code == cudaErrorInvalidDeviceFunction ||
      code == cudaErrorUnsupportedPtxVersion || code == cudaErrorJitCompilationDisabled) {
    static_cast<void>(cudaGetLastError());
    return describe_missing_code(own, cudaGetErrorString(code));
  }
  check(code, "cudaFuncGetAttributes");
  return describe_code(own, about.binaryVersion, about.ptxVersion);
}

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::cuda
