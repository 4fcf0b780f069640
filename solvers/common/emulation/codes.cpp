// SPDX-License-Identifier: MIT
// The names and messages of the error codes, as in the real runtime.
#include "solvers/common/emulation/codes.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace reprise::cuda_emulated {
namespace {

struct code_text {
  cudaError_t code;
  const char* name;
  const char* text;
};
constexpr std::array<code_text, 18> codes{{
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    {cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {cudaErrorNoKernelImageForDevice, "cudaErrorNoKernelImageForDevice",
     "no kernel image is available for execution on the device"},
    {cudaErrorUnsupportedPtxVersion, "cudaErrorUnsupportedPtxVersion",
     "the provided PTX was compiled with an unsupported toolchain."},
    {cudaErrorJitCompilationDisabled, "cudaErrorJitCompilationDisabled", "PTX JIT compilation was disabled"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorMapBufferObjectFailed, "cudaErrorMapBufferObjectFailed", "mapping of buffer object failed"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    {cudaErrorLaunchOutOfResources, "cudaErrorLaunchOutOfResources",
     "too many resources requested for launch"},
    {cudaErrorLaunchTimeout, "cudaErrorLaunchTimeout", "the launch timed out and was terminated"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {cudaErrorCooperativeLaunchTooLarge, "cudaErrorCooperativeLaunchTooLarge",
     "too many blocks in cooperative launch"},
    {cudaErrorInvalidClusterSize, "cudaErrorInvalidClusterSize", "cluster misconfiguration"},
    {cudaErrorUnknown, "cudaErrorUnknown", "unknown error"},
}};

const code_text& text_of(cudaError_t code) {
  const auto found = std::ranges::find(codes, code, &code_text::code);
  return found != codes.end() ? *found : codes.back();
}

thread_local cudaError_t last_error = cudaSuccess;

}  // namespace

cudaError_t remember(cudaError_t code) {
  if (code != cudaSuccess) last_error = code;
  return code;
}

std::optional<cudaError_t> find_code(std::string_view name) {
  const auto* const found =
      std::ranges::find(codes, name, [](const code_text& c) { return std::string_view(c.name); });
  return found != codes.end() ? std::optional(found->code) : std::nullopt;
}

}  // namespace reprise::cuda_emulated

namespace reprise::cuda_language {

using namespace cuda_emulated;

const char* cudaGetErrorName(cudaError_t code) {
  return text_of(code).name;
}

const char* cudaGetErrorString(cudaError_t code) {
  return text_of(code).text;
}

cudaError_t cudaGetLastError() {
  return std::exchange(last_error, cudaSuccess);
}

cudaError_t cudaPeekAtLastError() {
  return last_error;
}

}  // namespace reprise::cuda_language
