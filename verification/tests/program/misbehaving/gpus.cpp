// SPDX-License-Identifier: MIT
// The program with two simulated GPUs of different kinds, both emulated. They fail as the environment says:
//
//   MISBEHAVING_GPUS="0 launch 12 cudaErrorLaunchTimeout lasting"
//
// On device 0 the launch after 12 successful ones fails, and so do all later calls. Without the last word
// only that launch fails. Several faults are separated by semicolons.
//
//   MISBEHAVING_CODE="0 75"
//
// The code for device 0, whose own architecture is 9.0, was made by its driver from source for 7.5.
#define REPRISE_CUDA_EMULATED 1
#include <cstdlib>
#include <sstream>
#include <string>

#include "benchmarks/harness/roofs/roofs.hpp"
#include "solvers/common/base/device_calls.hpp"
#include "solvers/common/base/registry.hpp"
#include "solvers/common/cuda/cuda.hpp"
#include "solvers/common/cuda/device_calls.hpp"
#include "solvers/common/emulation/control.hpp"

int program_main(int argc, char** argv);  // main of benchmarks/main.cpp, renamed in program.cpp

namespace {

using namespace reprise;

constexpr std::size_t large_bytes = std::size_t{64} << 20U;
constexpr std::size_t small_bytes = std::size_t{1} << 20U;

discovery find_made_up() {
  const auto made_up = [](int index, const char* name, std::size_t bytes) {
    const std::string number = std::to_string(index);
    return device{.kind = backend::cuda,
                  .index = index,
                  .id = "cuda:" + number,
                  .name = name,
                  .driver = "none",
                  .memory_bytes = bytes,
                  .cache_bytes = std::size_t{1} << 16U,
                  .fp64 = true,
                  .pci = "0000:0" + number + ":00.0"};
  };
  return {{made_up(0, "Large GPU", large_bytes), made_up(1, "Small GPU", small_bytes)}, ""};
}

// Reports rates above any emulated one. It uses the device, as a real probe does, but little of its memory.
class made_up_probe final : public harness::roof_probe {
 public:
  explicit made_up_probe(const device& d) { cuda::use_device(d); }
  double copy_bytes_per_second(std::size_t) override {
    cuda::buffer<char> to(64);
    to.fill_bytes(0);
    return 1e12;
  }
  double flops_per_second(precision) override { return 1e13; }
};

void plant_faults(const char* text) {
  std::istringstream faults(text != nullptr ? text : "");
  for (std::string one; std::getline(faults, one, ';');) {
    std::istringstream words(one);
    cuda::fault f;
    std::string last;
    if (!(words >> f.device >> f.call >> f.calls_to_go_well >> f.code)) throw bad_input("no fault: " + one);
    f.is_lasting = words >> last && last == "lasting";
    cuda::plant(f);
  }
}

void age_code(const char* text) {
  std::istringstream words(text != nullptr ? text : "");
  int device = 0;
  cuda::architectures a;
  if (words >> device >> a.source) cuda::have_code(device, a);
}

void ask(const device& d) {
  cuda::use_device(d);
  REPRISE_CUDA(cudaDeviceSynchronize());
}

}  // namespace

int main(int argc, char** argv) {
  for (const auto& v : variants())
    if (v->runs_on == backend::emulated) v->runs_on = backend::cuda;
  const backend_registration devices(backend::cuda, find_made_up);
  const device_calls_registration calls(backend::cuda,
                                        {.use = cuda::use_device, .ask = ask, .code = cuda::code_on});
  const harness::roof_registration roofs(backend::cuda,
                                         [](const device& d) -> std::unique_ptr<harness::roof_probe> {
                                           return std::make_unique<made_up_probe>(d);
                                         });
  cuda::have_devices({large_bytes, small_bytes});
  plant_faults(std::getenv("MISBEHAVING_GPUS"));
  age_code(std::getenv("MISBEHAVING_CODE"));
  return program_main(argc, argv);
}
