// SPDX-License-Identifier: MIT
// Algorithm 3 inside a launch: all blocks find the largest error of the attempt, and each makes the same decision.
// A block's worst cell travels as one word: the bits of the largest error, which order like numbers, or, above all of
// those, the complement of the number of a bad cell. The largest word is then the one that counts.
#pragma once

#include "solvers/atrium/cuda_cells.hpp"
#include "solvers/atrium/tuned_plan.hpp"
#include "solvers/common/cuda/mail.hpp"

namespace reprise::atrium {
inline namespace REPRISE_CUDA_FLAVOUR {

constexpr unsigned lanes_of_warp = 32;
constexpr int boxes_of_lane = 6;
constexpr int most_deciding_blocks = boxes_of_lane * static_cast<int>(lanes_of_warp);

// active_stimuli() for plain data.
struct stimulus_times {
  int count;
  double start[most_stimuli];
  double length[most_stimuli];

  __device__ unsigned active_at(double t) const {
    constexpr double slack = 1e-9;
    unsigned active = 0;
    for (int s = 0; s < count; ++s) {
      const double since = t + slack - start[s];
      if (since >= 0 && since < length[s]) active |= 1U << static_cast<unsigned>(s);
    }
    return active;
  }
};

inline stimulus_times times_of(const protocol& p) {
  stimulus_times times{};
  times.count = static_cast<int>(p.stimuli.size());
  for (std::size_t s = 0; s < p.stimuli.size(); ++s) {
    times.start[s] = p.stimuli[s].start;
    times.length[s] = p.stimuli[s].length;
  }
  return times;
}

// What stays on the device between launches.
struct adaptive_run {
  progress state;
  unsigned tag;    // last tag that was used for mail
  unsigned round;  // number of decisions
};

// What a launch of adaptive steps needs, besides the addresses.
struct adaptive_launch {
  stimulus_times stimuli;
  int most_attempts;
  int every;  // accepted steps between samples; 0 if nothing is recorded
  int first_sample;
  adaptive_run* run;
  unsigned long long* verdicts;  // [round & 1][block]
};

// A block's copy of the run, in shared memory. All blocks' copies are equal.
struct run_of_block {
  progress state;
  step_weights weights;  // of the attempt under way
  unsigned active;
  unsigned worst;  // of the block's cells
  unsigned tag;
  unsigned round;
  int attempts;  // of this launch
  int sample;    // number of the sample that the last decision makes due, or -1
  bool is_accepted;
};

__device__ inline unsigned word_of_bad(int cell) {
  return ~static_cast<unsigned>(cell);
}
__device__ inline bool is_word_of_bad(unsigned word) {
  return word >> 31U != 0;
}

__device__ inline void raise_worst(unsigned* worst, unsigned word) {
  word = largest_of_warp(word);
  if (threadIdx.x % lanes_of_warp == 0 && word > *worst) atomicMax(worst, word);
}

// Called by the first warp.
__device__ inline void prepare_attempt(run_of_block& r, const method_plan& plan,
                                       const stimulus_times& stimuli) {
  const auto lane = static_cast<int>(threadIdx.x % lanes_of_warp);
  if (lane == 0) {
    r.active = stimuli.active_at(r.state.t + r.state.h / 2);
    r.worst = 0;
  }
  fill_weights(plan, r.state.h, r.weights, lane, lanes_of_warp);
}

// Called by the first warp of each block.
__device__ inline void begin_attempts(run_of_block& r, const method_plan& plan,
                                      const adaptive_launch& launch) {
  if (threadIdx.x == 0) {
    r.state = launch.run->state;
    r.tag = launch.run->tag;
    r.round = launch.run->round;
    r.attempts = 0;
  }
  __syncwarp();
  prepare_attempt(r, plan, launch.stimuli);
}

// The largest word of all blocks, for every lane of a warp.
__device__ inline unsigned worst_of_blocks(const unsigned long long* boxes, unsigned tag,
                                           const cuda::patience& patience) {
  unsigned worst = 0;
  cuda::wait_until(patience, [&] {
    cuda::letter<float> mail[boxes_of_lane];
    bool is_complete = true;
#pragma unroll
    for (int n = 0; n < boxes_of_lane; ++n) {
      const unsigned block = threadIdx.x % lanes_of_warp + static_cast<unsigned>(n) * lanes_of_warp;
      if (block < gridDim.x) mail[n].look(boxes + block);
    }
#pragma unroll
    for (int n = 0; n < boxes_of_lane; ++n) {
      const unsigned block = threadIdx.x % lanes_of_warp + static_cast<unsigned>(n) * lanes_of_warp;
      if (block >= gridDim.x) continue;
      is_complete = is_complete && mail[n].has_come(tag);
      worst = max(worst, __float_as_uint(mail[n].value()));
    }
    if (!is_complete) worst = 0;
    return is_complete;
  });
  return largest_of_warp(worst);
}

// Called by the first warp of each block. A call and not inlined code: the power needs registers that the cells have.
[[gnu::noinline]] __device__ inline void decide(run_of_block& r, const method_plan& plan,
                                                const adaptive_launch& launch,
                                                const cuda::patience& patience) {
  __syncwarp();  // behind post_verdict()
  const unsigned worst = worst_of_blocks(launch.verdicts + (r.round & 1U) * gridDim.x, r.round, patience);
  __syncwarp();
  if (threadIdx.x % lanes_of_warp == 0) {
    const bool is_bad = is_word_of_bad(worst);
    const outcome found{is_bad ? 0. : double{__uint_as_float(worst)}, is_bad ? static_cast<int>(~worst) : -1};
    r.is_accepted = finish_attempt(r.state, found);
    ++r.attempts;
    const bool is_due = r.is_accepted && launch.every != 0 && r.state.accepted % launch.every == 0;
    r.sample = is_due ? static_cast<int>(r.state.accepted / launch.every) - launch.first_sample : -1;
  }
  __syncwarp();
  prepare_attempt(r, plan, launch.stimuli);
}

// Sends the block's worst cell to all blocks. Called by one thread, after a barrier behind the last raise_worst().
__device__ inline void post_verdict(run_of_block& r, const adaptive_launch& launch) {
  ++r.round;
  cuda::post(launch.verdicts + (r.round & 1U) * gridDim.x + blockIdx.x, r.round, __uint_as_float(r.worst));
}

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::atrium
