// SPDX-License-Identifier: MIT
// Tests what depends on the architecture that kernels were compiled for: overlapped launches, and the texts that
// name old code.
#include "verification/tests/support/emulation.hpp"

#include "solvers/common/cuda/device_calls.hpp"
#include "solvers/tissue/variant.hpp"
#include "verification/tests/support/every_variant.hpp"

using namespace reprise;
using testing::says;

namespace {

// Devices of architecture 9.0 with code of these architectures. Afterwards there is the usual device again.
class devices_with_code {
 public:
  explicit devices_with_code(const std::vector<cuda::architectures>& all) {
    cuda::have_devices(std::vector(all.size(), cuda_emulated::memory_bytes));
    for (std::size_t n = 0; n < all.size(); ++n) cuda::have_code(static_cast<int>(n), all[n]);
  }
  devices_with_code(const devices_with_code&) = delete;
  devices_with_code& operator=(const devices_with_code&) = delete;
  ~devices_with_code() {
    cuda::use_device({});
    cuda::have_devices({cuda_emulated::memory_bytes});
  }
};

constexpr cuda::architectures own{.device = 90, .binary = 90, .source = 90};
constexpr cuda::architectures by_driver{.device = 90, .binary = 90, .source = 75};

device device_number(int index) {
  device d;
  d.index = index;
  return d;
}

// Each test has its own kernel, because a thread remembers the answers for a kernel.
template <int>
__global__ void patient(int* out) {
  cuda::wait_for_preceding();
  if (threadIdx.x == 0) out[blockIdx.x] = static_cast<int>(blockIdx.x);
}

__global__ void impatient(int* out) {
  if (threadIdx.x == 0) out[blockIdx.x] = 1;
}

long long overlapped_of(void (*kernel)(int*)) {
  const long long before = cuda::overlapped_launches();
  cuda::buffer<int> out(4);
  cuda::start(cuda::scheduling::overlapped, kernel, 4, 32, 0, nullptr, out.data());
  return cuda::overlapped_launches() - before;
}

std::vector<std::vector<double>> fused_tissue_on(int index) {
  harness::target on = harness::targets_of("tissue/cuda_fused", "emulated", true).front();
  on.device.index = index;
  const auto s = verification::made<tissue::solver>(on);
  s->load(tissue::hill_problem(tissue::model::karma, 70, 40, .0262), tissue::method::euler, .02,
          precision::double_);
  s->step(9);
  return s->state();
}

}  // namespace

TEST_CASE("a kernel compiled for 9.0 starts before the preceding one has ended", "[emulation][code]") {
  const devices_with_code devices({own});
  CHECK(overlapped_of(patient<0>) == 1);
}

TEST_CASE("a kernel that the driver made from PTX for 7.5 is not overlapped on a device of 9.0",
          "[emulation][code]") {
  const devices_with_code devices({by_driver});
  CHECK(overlapped_of(patient<1>) == 0);
}

TEST_CASE("a kernel for 8.0 is not overlapped, and one for 10.0 is", "[emulation][code]") {
  const devices_with_code devices({{.device = 80, .binary = 80, .source = 80},
                                   {.device = 100, .binary = 100, .source = 100},
                                   {.device = 120, .binary = 120, .source = 90}});
  CHECK(overlapped_of(patient<2>) == 0);
  cuda::use_device(device_number(1));
  CHECK(overlapped_of(patient<2>) == 1);
  cuda::use_device(device_number(2));
  CHECK(overlapped_of(patient<2>) == 1);
}

TEST_CASE("an answer about a kernel's code holds for one device only", "[emulation][code]") {
  const devices_with_code devices({own, by_driver});
  for (int times = 0; times < 2; ++times) {
    cuda::use_device(device_number(0));
    CHECK(overlapped_of(patient<3>) == 1);
    cuda::use_device(device_number(1));
    CHECK(overlapped_of(patient<3>) == 0);
  }
}

TEST_CASE("an overlapped launch whose threads do not wait is reported", "[emulation][code]") {
  const devices_with_code devices({own});
  CHECK_THROWS_MATCHES(overlapped_of(impatient), error, says("without waiting for the preceding launch"));
}

TEST_CASE("a solver that overlaps its launches is right with old code too", "[emulation][code]") {
  const devices_with_code devices({own, by_driver});
  const long long before = cuda::overlapped_launches();
  const auto overlapped = fused_tissue_on(0);
  const long long between = cuda::overlapped_launches();

  const auto in_order = fused_tissue_on(1);

  CHECK(between > before);
  CHECK(cuda::overlapped_launches() == between);
  CHECK(overlapped == in_order);
}

TEST_CASE("a device's code is named, and old code with its cure", "[emulation][code]") {
  const devices_with_code devices({own, by_driver, {.device = 86, .binary = 80, .source = 80}});
  const device_code newest = cuda::code_on(device_number(0));
  CHECK(newest.runs == "sm_90");
  CHECK(newest.remark.empty());
  const device_code old = cuda::code_on(device_number(1));
  CHECK(old.runs == "compute_75, compiled by the driver (JIT)");
  CHECK(old.remark ==
        "runs older code than its own sm_90: compute_75, compiled by the driver (JIT); build with "
        "-DCMAKE_CUDA_ARCHITECTURES=90 for its full speed");
  CHECK(cuda::code_on(device_number(2)).remark.find("sm_86: sm_80; build") != std::string::npos);
}

TEST_CASE("a device for which there is no code is told from one that is lost", "[emulation][code]") {
  const devices_with_code devices({own, own});
  cuda::plant({.device = 0, .call = "cudaFuncGetAttributes", .code = "cudaErrorNoKernelImageForDevice"});
  cuda::plant({.device = 1, .call = "cudaFuncGetAttributes", .code = "cudaErrorLaunchTimeout"});

  const device_code none = cuda::code_on(device_number(0));

  CHECK(none.is_missing);
  CHECK(none.remark ==
        "has no code for its sm_90 (no kernel image is available for execution on the device): build with "
        "-DCMAKE_CUDA_ARCHITECTURES=90");
  CHECK_THROWS_MATCHES(cuda::code_on(device_number(1)), error, says("cudaErrorLaunchTimeout"));
}
