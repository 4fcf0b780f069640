// SPDX-License-Identifier: MIT
// Measures a CUDA device's roofs: copying by a kernel with 16-byte accesses or by cudaMemcpy, whichever is
// faster, reading, and chains of fused multiply-adds.
#include <algorithm>
#include <cmath>
#include <vector>

#include "benchmarks/harness/roofs/probe.hpp"
#include "solvers/common/cuda/cuda.hpp"

namespace reprise::harness {
namespace {

constexpr unsigned threads = 256;

__global__ void copy_kernel(const float4* __restrict__ from, float4* __restrict__ to, std::size_t count) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride)
    to[i] = from[i];
}

// The sum is never negative, so nothing is stored; the compiler cannot know that and must keep the loads.
__global__ void read_kernel(const float4* __restrict__ from, float* out, std::size_t count) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  float sum = 0;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    const float4 v = from[i];
    sum += v.x + v.y + v.z + v.w;
  }
  if (sum < 0) *out = sum;
}

constexpr int chains = 8;
constexpr int rounds = 4096;

template <class Real>
__global__ void multiply_add_kernel(Real* out, Real factor, Real addend) {
  Real v[chains];
  for (int c = 0; c < chains; ++c) v[c] = static_cast<Real>(threadIdx.x + static_cast<unsigned>(c));
  for (int r = 0; r < rounds; ++r)
    for (int c = 0; c < chains; ++c) v[c] = v[c] * factor + addend;
  Real sum = 0;
  for (int c = 0; c < chains; ++c) sum += v[c];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

class cuda_probe final : public roof_probe {
 public:
  explicit cuda_probe(const device& d) {
    cuda::use_device(d);
    multiprocessors_ = static_cast<unsigned>(cuda::current_properties().multiprocessors);
  }

  double copy_bytes_per_second(std::size_t bytes) override {
    const std::size_t count = std::max<std::size_t>(1, bytes / sizeof(float4));
    if (from_.size() != count || to_.size() != count) {
      from_ = {};
      to_ = {};
      from_ = cuda::buffer<float4>(count);
      to_ = cuda::buffer<float4>(count);
      from_.fill_bytes(0x3f);
      to_.fill_bytes(0);
    }
    const int repeats = repeats_for(bytes);
    const double by_kernel = seconds(repeats, [&] {
      const auto all =
          static_cast<unsigned>(std::min<std::size_t>((count + threads - 1) / threads, 1U << 30U));
      cuda::launch(copy_kernel, all, threads, 0, nullptr, from_.data(), to_.data(), count);
    });
    const double by_runtime = seconds(repeats, [&] {
      REPRISE_CUDA(cudaMemcpyAsync(to_.data(), from_.data(), count * sizeof(float4), cudaMemcpyDeviceToDevice,
                                   nullptr));
    });
    float4 sent{};
    float4 arrived{};
    from_.download(&sent, 1, count - 1);
    to_.download(&arrived, 1, count - 1);
    if (arrived.w != sent.w) throw error("the copy probe did not copy");
    return 2.0 * static_cast<double>(count * sizeof(float4)) * repeats / std::min(by_kernel, by_runtime);
  }

  double read_bytes_per_second(std::size_t bytes) override {
    const std::size_t count = std::max<std::size_t>(1, bytes / sizeof(float4));
    if (from_.size() != count) {
      from_ = {};
      to_ = {};
      from_ = cuda::buffer<float4>(count);
      from_.fill_bytes(0x3f);
    }
    cuda::buffer<float> out(1);
    const int repeats = repeats_for(bytes);
    const double elapsed = seconds(repeats, [&] {
      cuda::launch(read_kernel, multiprocessors_ * 32, threads, 0, nullptr, from_.data(), out.data(), count);
    });
    return static_cast<double>(count * sizeof(float4)) * repeats / elapsed;
  }

  double flops_per_second(precision p) override {
    return p == precision::single ? multiply_add_rate<float>() : multiply_add_rate<double>();
  }

  probe_cost cost() const override { return {(from_.size() + to_.size()) * sizeof(float4), passes_}; }

 private:
  // Enough repeats that the cost of the events is negligible.
  static int repeats_for(std::size_t bytes) {
    return static_cast<int>(std::clamp<std::size_t>((std::size_t{1} << 32U) / (bytes + 1), 1, 200));
  }

  template <class Work>
  double seconds(int repeats, Work work) {
    passes_ += repeats;
    clock_.start();
    for (int r = 0; r < repeats; ++r) work();
    return clock_.stop();
  }

  template <class Real>
  double multiply_add_rate() {
    const unsigned blocks = multiprocessors_ * 8 * 4;  // four waves of 2048 threads per multiprocessor
    cuda::buffer<Real> out(static_cast<std::size_t>(blocks) * threads);
    const double elapsed = seconds(1, [&] {
      cuda::launch(multiply_add_kernel<Real>, blocks, threads, 0, nullptr, out.data(), static_cast<Real>(.5),
                   static_cast<Real>(.25));
    });
    Real last{};
    out.download(&last, 1, out.size() - 1);
    if (!std::isfinite(static_cast<double>(last))) throw error("the multiply-add probe lost its chains");
    return 2.0 * chains * rounds * static_cast<double>(out.size()) / elapsed;
  }

  unsigned multiprocessors_{};
  long passes_{};
  cuda::buffer<float4> from_, to_;
  cuda::event_stopwatch clock_;
};

const roof_registration registered(backend::cuda, [](const device& d) -> std::unique_ptr<roof_probe> {
  return std::make_unique<cuda_probe>(d);
});

}  // namespace
}  // namespace reprise::harness
