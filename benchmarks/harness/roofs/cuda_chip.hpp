// SPDX-License-Identifier: MIT
// Roofs of the parts of a CUDA device that are not its memory: shared memory, exponentials, the interval of launches, and
// what it takes until a value that one block leaves in memory has come to another.
#pragma once

#include <algorithm>
#include <cmath>

#include "solvers/common/cuda/cuda.hpp"
#include "solvers/common/cuda/mail.hpp"

namespace reprise::harness::cuda_chip {

constexpr unsigned threads = 256;
constexpr int loads = 8;  // in a round of the shared-memory probe

inline unsigned multiprocessors() {
  return static_cast<unsigned>(cuda::current_properties().multiprocessors);
}

// Each warp reads 512 neighbouring bytes in each load. The step is not known when the kernel is compiled, so no load can
// be saved.
static __global__ void read_shared(float* out, int rounds, unsigned step) {
  __shared__ float4 values[loads * threads];
  for (int n = 0; n < loads; ++n) values[n * threads + threadIdx.x] = {1, 1, 1, 1};
  __syncthreads();
  constexpr unsigned all = loads * threads;
  unsigned at = threadIdx.x;
  float4 sum{};
  for (int r = 0; r < rounds; ++r) {
#pragma unroll
    for (int n = 0; n < loads; ++n) {
      const float4 v = values[(at + static_cast<unsigned>(n) * threads) & (all - 1)];
      sum.x += v.x;
      sum.y += v.y;
      sum.z += v.z;
      sum.w += v.w;
    }
    at += step;
  }
  out[blockIdx.x * threads + threadIdx.x] = sum.x + sum.y + sum.z + sum.w;
}

template <class Clock>
double shared_bytes_per_second(Clock& clock) {
  constexpr int rounds = 4096;
  const auto blocks = static_cast<unsigned>(cuda::resident_blocks(read_shared, threads, 0));
  cuda::buffer<float> out(static_cast<std::size_t>(blocks) * threads);
  clock.start();
  cuda::launch(read_shared, blocks, threads, 0, nullptr, out.data(), rounds, threads);
  const double elapsed = clock.stop();
  float last{};
  out.download(&last, 1, out.size() - 1);
  if (last != 4.0F * loads * rounds) throw error("the probe of shared memory did not read what it wrote");
  return static_cast<double>(sizeof(float4)) * loads * rounds * static_cast<double>(out.size()) / elapsed;
}

__device__ inline float exponential(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
__device__ inline double exponential(double x) {
  return exp(x);
}

// Chains of v = f(-v), which come to rest between 0 and 1.
template <class Real>
__global__ void exponentials(Real* out, int rounds) {
  constexpr int chains = 8;
  Real v[chains];
  for (int c = 0; c < chains; ++c)
    v[c] = Real(.1) * static_cast<Real>(c) + static_cast<Real>(threadIdx.x % 7U);
  for (int r = 0; r < rounds; ++r)
#pragma unroll
    for (int c = 0; c < chains; ++c) v[c] = exponential(-v[c]);
  Real sum = 0;
  for (int c = 0; c < chains; ++c) sum += v[c];
  out[blockIdx.x * threads + threadIdx.x] = sum / chains;
}

template <class Real, class Clock>
double functions_per_second(Clock& clock) {
  constexpr int chains = 8;
  constexpr int rounds = sizeof(Real) == sizeof(float) ? 4096 : 512;
  const unsigned blocks = 4 * static_cast<unsigned>(cuda::resident_blocks(exponentials<Real>, threads, 0));
  cuda::buffer<Real> out(static_cast<std::size_t>(blocks) * threads);
  clock.start();
  cuda::launch(exponentials<Real>, blocks, threads, 0, nullptr, out.data(), rounds);
  const double elapsed = clock.stop();
  Real last{};
  out.download(&last, 1, out.size() - 1);
  if (!(last > Real(.5) && last < Real(.7))) throw error("the probe of exponentials lost its chains");
  return static_cast<double>(chains) * rounds * static_cast<double>(out.size()) / elapsed;
}

static __global__ void nothing() {
  cuda::let_following_start();
  cuda::wait_for_preceding();
}

// The fastest of: one stream, one stream with launches that overlap, two streams in turn.
template <class Clock>
double launches_per_second(Clock& clock) {
  constexpr int launches = 1000;
  const auto seconds_of = [&](auto launch) {
    REPRISE_CUDA(cudaDeviceSynchronize());
    clock.start();
    for (int n = 0; n < launches; ++n) launch(n);
    return clock.stop();
  };
  const double in_order = seconds_of([](int) { cuda::launch(nothing, 1, 32, 0, nullptr); });
  const double overlapped =
      seconds_of([](int) { cuda::start(cuda::scheduling::overlapped, nothing, 1, 32, 0, nullptr); });
  cuda::stream two[2];
  const double in_turn = seconds_of([&](int n) { cuda::launch(nothing, 1, 32, 0, two[n % 2]); });
  return launches / std::min({in_order, overlapped, in_turn});
}

// The blocks form a ring. Lanes 0 and 1 of a block's warp post a value for the block before and after it and wait for
// theirs; then the warp goes on together.
static __global__ void exchange(unsigned long long* boxes, int rounds, cuda::patience patience, float* out) {
  const unsigned side = threadIdx.x, blocks = gridDim.x, self = blockIdx.x;
  const unsigned other = side == 0 ? (self + blocks - 1) % blocks : (self + 1) % blocks;
  float sum = 0;
  for (int r = 1; r <= rounds; ++r) {
    const auto tag = static_cast<unsigned>(r);
    unsigned long long* const set = boxes + (tag & 1U) * 2 * blocks;
    if (side < 2) {
      cuda::post(set + 2 * other + (1 - side), tag, 1.0F);
      float value = 0;
      cuda::collect(set + 2 * self + side, tag, value, patience);
      sum += value;
    }
    __syncwarp();
  }
  if (side < 2) out[2 * self + side] = sum;
}

template <class Clock>
double exchanges_per_second(Clock& clock) {
  constexpr int rounds = 4096;
  const unsigned blocks = multiprocessors();
  cuda::buffer<unsigned long long> boxes(4 * static_cast<std::size_t>(blocks));
  cuda::buffer<float> out(2 * static_cast<std::size_t>(blocks));
  boxes.fill_bytes(0);
  clock.start();
  cuda::launch_resident(exchange, blocks, 32, 0, nullptr, boxes.data(), rounds, cuda::usual_patience(),
                        out.data());
  const double elapsed = clock.stop();
  float last{};
  out.download(&last, 1, out.size() - 1);
  if (last != static_cast<float>(rounds)) throw error("the probe of exchanges lost a value");
  return rounds / elapsed;
}

}  // namespace reprise::harness::cuda_chip
