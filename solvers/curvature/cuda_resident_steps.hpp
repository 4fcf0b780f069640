// SPDX-License-Identifier: MIT
// How the resident blocks of a launch agree on Merson's steps: each sends its largest error to all, and all decide alike.
#pragma once

#include "solvers/common/cuda/cuda.hpp"
#include "solvers/common/cuda/mail.hpp"
#include "solvers/curvature/controller.hpp"
#include "solvers/curvature/cuda_order.hpp"
#include "solvers/curvature/cuda_resident_tile.hpp"
#include "solvers/curvature/manufactured.hpp"

namespace reprise::curvature {
inline namespace REPRISE_CUDA_FLAVOUR {

// With one node a thread: five warps on each of a multiprocessor's four parts. A sixth would leave each thread 80
// registers instead of 96. With several nodes a thread, four warps have 128.
constexpr int most_threads = 20 * warp;
constexpr int most_threads_of_several_nodes = 16 * warp;
// Limits the length of a launch, so that a display on the same device stays responsive.
constexpr long long attempts_of_launch = 20'000;

// What the threads of a block share besides their tile.
struct desk {
  merson state;
  bool goes_on;       // there is another attempt in this launch
  bool was_accepted;  // the last attempt
  long long last_attempt;
  phase<double> at[4];                             // zeta's phase at t, t + tau/3, t + tau/2, t + tau
  unsigned long long errors[most_threads / warp];  // the largest of each warp, in bits
};

// By one warp, whose first lane has written the state.
__device__ inline void prepare_attempt(desk& d) {
  constexpr double parts[4]{0, 1.0 / 3, 1.0 / 2, 1};
  const unsigned lane = threadIdx.x % warp;
  __syncwarp();
  if (lane < 4) d.at[lane] = phase_at(d.state.t + parts[lane] * d.state.tau);
  if (lane == 0)
    d.goes_on = d.state.state == ending::running && d.state.accepted + d.state.rejected < d.last_attempt;
}

__device__ inline void begin(desk& d, const merson& m) {
  if (threadIdx.x % warp == 0) {
    d.state = m;
    d.last_attempt = m.accepted + m.rejected + attempts_of_launch;
  }
  prepare_attempt(d);
}

// By one warp, all of whose lanes know the error without its factor tau/3.
__device__ inline void decide(desk& d, double error) {
  if (threadIdx.x % warp == 0) d.was_accepted = finish_attempt(d.state, d.state.tau / 3 * error);
  prepare_attempt(d);
}

// By all warps.
__device__ inline void keep_error(desk& d, unsigned long long bits) {
  bits = largest_of_warp(bits);
  if (threadIdx.x % warp == 0) d.errors[threadIdx.x / warp] = bits;
}

// Sends this block's largest error to all blocks. By one warp.
__device__ inline void send_error(const desk& d, unsigned long long* errors, unsigned tag) {
  const unsigned lane = threadIdx.x % warp;
  const unsigned blocks = gridDim.x * gridDim.y;
  const unsigned self = blockIdx.x + blockIdx.y * gridDim.x;
  const unsigned long long bits = largest_of_warp(lane < blockDim.x / warp ? d.errors[lane] : 0);
  if (lane == 0) cuda::post(errors + ((tag & 1U) * blocks + self) * 2, tag, magnitude_of(bits));
}

// Returns the largest error of all blocks to a warp.
__device__ inline double receive_errors(const unsigned long long* errors, unsigned tag,
                                        const cuda::patience& most) {
  constexpr unsigned at_once = 5;  // enough for a device's blocks, which then cost one delay and not five
  const unsigned blocks = gridDim.x * gridDim.y;
  unsigned long long bits = 0;
  for (unsigned first = threadIdx.x % warp; first < blocks; first += warp * at_once) {
    cuda::letter<double> mail[at_once];
    cuda::wait_until(most, [&] {
      bool complete = true;
#pragma unroll
      for (unsigned k = 0; k < at_once; ++k)
        mail[k].look(errors + ((tag & 1U) * blocks + min(first + k * warp, blocks - 1)) * 2);
#pragma unroll
      for (unsigned k = 0; k < at_once; ++k) complete = complete && mail[k].has_come(tag);
      return complete;
    });
#pragma unroll
    for (unsigned k = 0; k < at_once; ++k) bits = larger(bits, bits_of(mail[k].value()));
  }
  return magnitude_of(largest_of_warp(bits));
}

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::curvature
