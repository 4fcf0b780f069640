// SPDX-License-Identifier: MIT
// What the emulation cannot show about a real device: that the runtime names the architecture for which a kernel
// was compiled, that overlapped launches keep their order, that blocks get their shared memory, and that a wait in vain
// ends with its reason. The last one costs the process its device, so each is a run of its own. Exits with 77 if there
// is no device.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "solvers/common/cuda/device_calls.hpp"
#include "solvers/common/cuda/mail.hpp"

namespace {

using namespace reprise;

void require(bool holds, const std::string& what) {
  if (!holds) throw error("not so: " + what);
}

__global__ void own_architecture(int* out) {
#ifdef __CUDA_ARCH__
  *out = __CUDA_ARCH__ / 10;
#endif
}

void the_runtime_names_the_architecture() {
  cuda::buffer<int> out(1);
  cuda::launch(own_architecture, 1, 1, 0, nullptr, out.data());
  int own = 0;
  out.download(&own, 1);
  const int named = cuda::architecture_of(reinterpret_cast<const void*>(&own_architecture));
  const device_code code = cuda::code_on({});
  std::printf("compiled for %d, the runtime says %d: %s %s\n", own, named, code.runs.c_str(),
              code.remark.c_str());
  require(own == named, "the runtime names the architecture that __CUDA_ARCH__ named");
}

// Each launch adds one to values that the preceding one wrote last.
__global__ void add_one(const int* from, int* to, int count) {
  cuda::let_following_start();
  cuda::wait_for_preceding();
  const auto stride = static_cast<int>(gridDim.x * blockDim.x);
  for (auto i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < count; i += stride)
    to[count - 1 - i] = from[i] + 1;
}

void overlapped_launches_keep_their_order() {
  constexpr int count = 1 << 20;
  constexpr int launches = 2000;
  cuda::buffer<int> a(count);
  cuda::buffer<int> b(count);
  a.fill_bytes(0);
  const auto begin = std::chrono::steady_clock::now();
  for (int n = 0; n < launches; ++n) {
    cuda::start(cuda::scheduling::overlapped, add_one, 512, 256, 0, nullptr, a.data(), b.data(), count);
    std::swap(a, b);
  }
  REPRISE_CUDA(cudaDeviceSynchronize());
  const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
  std::printf("%.2f us a launch, %s\n", took.count() / launches,
              cuda::waits_for_preceding(reinterpret_cast<const void*>(&add_one)) ? "overlapped" : "in order");
  std::vector<int> values(count);
  a.download(values.data(), values.size());
  for (const int value : values) require(value == launches, "every launch saw the preceding one's values");
}

// Blocks of 8 KiB of declared shared memory, and `words` words more.
__global__ void fill_shared(int* sums, int words) {
  constexpr int declared_words = 2048;
  __shared__ int declared[declared_words];
  int* const given = cuda::dynamic_shared<int>();
  for (auto i = static_cast<int>(threadIdx.x); i < declared_words; i += static_cast<int>(blockDim.x))
    declared[i] = 1;
  for (auto i = static_cast<int>(threadIdx.x); i < words; i += static_cast<int>(blockDim.x)) given[i] = 1;
  __syncthreads();
  if (threadIdx.x > 0) return;
  int sum = 0;
  for (int i = 0; i < declared_words; ++i) sum += declared[i];
  for (int i = 0; i < words; ++i) sum += given[i];
  sums[blockIdx.x] = sum;
}

void blocks_get_their_shared_memory() {
  const std::size_t most = cuda::current_properties().shared_bytes_per_block;
  constexpr std::size_t declared = 8 << 10;
  // Below and above 48 KiB without what is declared, with it, and all that the device has.
  for (const std::size_t given :
       {std::size_t{8} << 10, std::size_t{44} << 10, std::size_t{48} << 10, most - declared}) {
    const int words = static_cast<int>(given / sizeof(int));
    cuda::buffer<int> sums(2);
    require(cuda::resident_blocks(fill_shared, 64, given) > 0, "a multiprocessor holds a block");
    cuda::launch_resident(fill_shared, 2, 64, given, nullptr, sums.data(), words);
    std::vector<int> found(2);
    sums.download(found.data(), found.size());
    for (const int sum : found) require(sum == 2048 + words, "all words are the block's own");
  }
  std::string said;
  try {
    cuda::launch(fill_shared, 2, 64, most - declared + 16, nullptr, nullptr, 0);
  } catch (const unavailable& refusal) {
    said = refusal.what();
  }
  require(said.find("does not fit") != std::string::npos, "more than the device has is refused");
}

__global__ void expect_mail(const unsigned long long* boxes, cuda::patience most) {
  float value = 0;
  if (blockIdx.x == 1) cuda::collect(boxes, 7, value, most);
}

void a_wait_in_vain_ends_with_its_reason() {
  constexpr double seconds = .5;
  cuda::buffer<unsigned long long> boxes(1);
  boxes.fill_bytes(0);
  const auto begin = std::chrono::steady_clock::now();
  std::string said;
  try {
    cuda::launch_resident(expect_mail, 2, 64, 0, nullptr, boxes.data(), cuda::patience_of(seconds));
    REPRISE_CUDA(cudaDeviceSynchronize());
  } catch (const error& failure) {
    said = failure.what();
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::printf("after %.2f s: %s\n", took.count(), said.c_str());
  require(said.find("block 1 waited in vain for another block for 0.5 s") != std::string::npos,
          "the reason is said");
  require(took.count() > .9 * seconds && took.count() < 10 * seconds,
          "it took about as long as the patience");
}

}  // namespace

int main(int argc, char** argv) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::puts("no CUDA device");
    return 77;
  }
  const std::string which = argc > 1 ? argv[1] : "";
  try {
    if (which == "architecture")
      the_runtime_names_the_architecture();
    else if (which == "overlap")
      overlapped_launches_keep_their_order();
    else if (which == "shared_memory")
      blocks_get_their_shared_memory();
    else if (which == "patience")
      a_wait_in_vain_ends_with_its_reason();
    else
      throw error("no such contract: give architecture, overlap, shared_memory or patience");
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
  }
  return 0;
}
