// SPDX-License-Identifier: MIT
// Measures a CUDA device's roofs of memory: copying by a kernel with 16-byte accesses or by cudaMemcpy, whichever is
// faster, and reading; where the caches hold the arrays, by one launch that makes all passes. And chains of fused
// multiply-adds. Those of the chip's other parts are in cuda_chip.hpp.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "benchmarks/harness/roofs/cuda_chip.hpp"
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

// Past the L1 cache, so that each pass reads again what it has read.
__device__ inline float4 load_past_l1(const float4* from) {
  float4 v;
  asm volatile("ld.global.cg.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
               : "l"(from)
               : "memory");
  return v;
}

constexpr int loads_at_once = 4;

// Calls use(index, value) for what the thread has of each pass; its loads are on their way together.
template <class Use>
__device__ void pass_over(const float4* from, std::size_t count, int passes, Use use) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (int pass = 0; pass < passes; ++pass)
    for (std::size_t i = first; i < count; i += loads_at_once * stride) {
      float4 v[loads_at_once];
#pragma unroll
      for (int n = 0; n < loads_at_once; ++n)
        if (i + n * stride < count) v[n] = load_past_l1(from + i + n * stride);
#pragma unroll
      for (int n = 0; n < loads_at_once; ++n)
        if (i + n * stride < count) use(i + n * stride, v[n]);
    }
}

__global__ void copy_often_kernel(const float4* from, float4* to, std::size_t count, int passes) {
  pass_over(from, count, passes, [to](std::size_t i, const float4& v) { to[i] = v; });
}

__global__ void read_often_kernel(const float4* from, float* out, std::size_t count, int passes) {
  float sum = 0;
  pass_over(from, count, passes, [&sum](std::size_t, const float4& v) { sum += v.x + v.y + v.z + v.w; });
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
  explicit cuda_probe(const device& d) : cache_bytes_(d.cache_bytes) {
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
    const double in_one_launch =
        seconds_of_resident(2 * count * sizeof(float4), copy_often_kernel, [&](unsigned blocks, int passes) {
          cuda::launch(copy_often_kernel, blocks, threads, 0, nullptr, from_.data(), to_.data(), count,
                       passes);
        });
    float4 sent{};
    float4 arrived{};
    from_.download(&sent, 1, count - 1);
    to_.download(&arrived, 1, count - 1);
    if (arrived.w != sent.w) throw error("the copy probe did not copy");
    const double pass = std::min(std::min(by_kernel, by_runtime) / repeats, in_one_launch);
    return 2.0 * static_cast<double>(count * sizeof(float4)) / pass;
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
    const double in_one_launch =
        seconds_of_resident(count * sizeof(float4), read_often_kernel, [&](unsigned blocks, int passes) {
          cuda::launch(read_often_kernel, blocks, threads, 0, nullptr, from_.data(), out.data(), count,
                       passes);
        });
    return static_cast<double>(count * sizeof(float4)) / std::min(elapsed / repeats, in_one_launch);
  }

  double flops_per_second(precision p) override {
    return p == precision::single ? multiply_add_rate<float>() : multiply_add_rate<double>();
  }

  double shared_bytes_per_second() override { return cuda_chip::shared_bytes_per_second(clock_); }
  double functions_per_second(precision p) override {
    return p == precision::single ? cuda_chip::functions_per_second<float>(clock_)
                                  : cuda_chip::functions_per_second<double>(clock_);
  }
  double launches_per_second() override { return cuda_chip::launches_per_second(clock_); }
  double exchanges_per_second() override { return cuda_chip::exchanges_per_second(clock_); }

  probe_cost cost() const override { return {(from_.size() + to_.size()) * sizeof(float4), passes_}; }

 private:
  // Enough repeats that the cost of the events is negligible.
  static int repeats_for(std::size_t bytes) {
    return static_cast<int>(std::clamp<std::size_t>((std::size_t{1} << 32U) / (bytes + 1), 1, 200));
  }

  // Seconds of a pass over arrays that the caches may serve, where launches take longer than passes. Infinite for others.
  template <class Kernel, class Launch>
  double seconds_of_resident(std::size_t bytes, Kernel kernel, Launch launch) {
    constexpr std::size_t times_beyond_cache = 4;
    if (bytes >= times_beyond_cache * cache_bytes_) return std::numeric_limits<double>::infinity();
    const std::size_t items = bytes / sizeof(float4) / loads_at_once;
    const std::size_t wanted = std::max<std::size_t>(1, (items + threads - 1) / threads);
    const auto blocks = static_cast<unsigned>(std::min(wanted, cuda::resident_blocks(kernel, threads, 0)));
    const int passes = repeats_for(bytes);
    const double elapsed = seconds(1, [&] { launch(blocks, passes); });
    passes_ += passes - 1;
    return elapsed / passes;
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

  std::size_t cache_bytes_{};
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
