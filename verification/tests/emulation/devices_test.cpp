// SPDX-License-Identifier: MIT
// Tests several emulated devices, one of which is lost.
#include "verification/tests/support/emulation.hpp"

#include <algorithm>

#include "verification/tests/support/tests.hpp"

using namespace reprise;
using testing::says;

namespace {

__global__ void nothing() {}

}  // namespace

TEST_CASE("devices have their own memory, and events and losses are theirs", "[emulation]") {
  device second;
  second.index = 1;
  cuda::have_devices({4096, 1024});
  const auto one_again = [](void*) {
    cuda::use_device({});
    cuda::have_devices({cuda_emulated::memory_bytes});
  };
  const std::unique_ptr<void, decltype(one_again)> restored(&second, one_again);
  const cuda::buffer<char> most(4000);
  cuda::event_stopwatch clock_of_first;

  cuda::use_device(second);

  CHECK_THROWS_AS(cuda::buffer<char>(2000), unavailable);
  CHECK_NOTHROW(cuda::buffer<char>(1000));
  CHECK_THROWS_MATCHES(clock_of_first.start(), error, says("cudaErrorInvalidResourceHandle"));
  cuda::plant({.device = 1,
               .call = "launch",
               .calls_to_go_well = 1,
               .code = "cudaErrorLaunchTimeout",
               .is_lasting = true});
  CHECK_NOTHROW(cuda::launch(nothing, 1, 1, 0, nullptr));
  for (int times = 0; times < 2; ++times)
    CHECK_THROWS_MATCHES(cuda::launch(nothing, 1, 1, 0, nullptr), error, says("cudaErrorLaunchTimeout"));
  CHECK_THROWS_AS(cuda::buffer<char>(1), error);
  cuda::use_device({});
  CHECK_NOTHROW(cuda::launch(nothing, 1, 1, 0, nullptr));
  CHECK_NOTHROW(clock_of_first.start());
}

TEST_CASE("memory that others open is one memory, and other memory cannot be opened", "[emulation]") {
  const int sent[]{3, 1, 4};
  int got[3]{};
  void* own = nullptr;
  void* opened = nullptr;
  cudaIpcMemHandle_t handle;
  REPRISE_CUDA(cuda_emulated::allocate_for_others(&own, sizeof sent));
  REPRISE_CUDA(cudaIpcGetMemHandle(&handle, own));
  REPRISE_CUDA(cudaIpcOpenMemHandle(&opened, handle, cudaIpcMemLazyEnablePeerAccess));

  REPRISE_CUDA(cudaMemcpy(opened, sent, sizeof sent, cudaMemcpyHostToDevice));
  REPRISE_CUDA(cudaMemcpy(got, own, sizeof got, cudaMemcpyDeviceToHost));

  CHECK(opened != own);
  CHECK(std::ranges::equal(got, sent));
  CHECK(cudaFree(opened) == cudaErrorInvalidValue);
  CHECK(cudaIpcCloseMemHandle(own) == cudaErrorInvalidValue);
  CHECK(cudaIpcCloseMemHandle(opened) == cudaSuccess);
  CHECK(cudaFree(own) == cudaSuccess);
  CHECK(cudaIpcOpenMemHandle(&opened, handle, cudaIpcMemLazyEnablePeerAccess) ==
        cudaErrorMapBufferObjectFailed);
  cuda::buffer<int> usual(3);
  CHECK(cudaIpcGetMemHandle(&handle, usual.data()) == cudaErrorInvalidValue);
}
