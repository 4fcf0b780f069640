// SPDX-License-Identifier: MIT
// Causes the fault named by its argument. Built with AddressSanitizer, which must
// stop it; its tests expect that.
#include <cstdio>
#include <map>
#include <string_view>
#include <vector>

#include "verification/tests/support/emulation.hpp"

namespace {

using namespace reprise;

constexpr int block_size = 64;

__global__ void write_at(float* out, int shift) {
  out[static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) + shift] = 1;
}

__global__ void write_shared_at(float* out, int shift) {
  REPRISE_SHARED_ARRAY(float, tile, [block_size]);
  float* moved = tile + shift;  // a raw pointer, so that only AddressSanitizer can detect the fault
  moved[threadIdx.x] = 1;
  out[blockIdx.x * blockDim.x + threadIdx.x] = moved[threadIdx.x];
}

__global__ void write_dynamic_at(float* out, int shift) {
  auto* tile = cuda::dynamic_shared<float>();
  tile[static_cast<int>(threadIdx.x) + shift] = 1;
  out[blockIdx.x * blockDim.x + threadIdx.x] = tile[static_cast<int>(threadIdx.x) + shift];
}

void run(void (*kernel)(float*, int), int shift) {
  constexpr int blocks = 3;
  cuda::buffer<float> out(blocks * block_size);
  cuda::launch(kernel, blocks, block_size, block_size * sizeof(float), nullptr, out.data(), shift);
  std::vector<float> values(out.size());
  out.download(values.data(), values.size());
  std::printf("ran to its end, first value %g\n", static_cast<double>(values.front()));
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string_view, void (*)(float*, int)> faults{{"global_index", write_at},
                                                                 {"shared_index", write_shared_at},
                                                                 {"dynamic_shared_index", write_dynamic_at}};
  const auto fault = faults.find(argc == 2 ? argv[1] : "");
  if (fault == faults.end()) {
    std::fputs("usage: emulation_faults global_index|shared_index|dynamic_shared_index\n", stderr);
    return 2;
  }
  run(fault->second, 1);
  return 0;
}
