// SPDX-License-Identifier: MIT
// One block's patch of the sphere: shared memory, diffusion, recorded voltages, and the cells of a thread.
#pragma once

#include "solvers/atrium/cuda_cells.hpp"
#include "solvers/atrium/cuda_patches.hpp"
#include "solvers/atrium/cuda_samples.hpp"
#include "solvers/atrium/tuned_cell.hpp"
#include "solvers/atrium/tuned_control.hpp"

namespace reprise::atrium {
inline namespace REPRISE_CUDA_FLAVOUR {

// Numbers of a cell in memory that only its own thread uses. Those of a warp's cells lie together, so that their
// addresses differ by constants: field n of a lane is [n * lanes_of_warp].
namespace field {
constexpr int gates = 0;  // at the beginning of the step, where it may be needed again
constexpr int other_gates = gates + static_cast<int>(atrium::gates);   // stage_plan::keeps_gates
constexpr int slopes = other_gates + static_cast<int>(atrium::gates);  // of the concentrations, of each stage
constexpr int count = slopes + static_cast<int>((most_stages - 1) * atrium::concentrations);
}  // namespace field

// Addresses and data that do not change between launches.
struct tuned_data {
  sphere<float> s;
  method_plan plan;
  int patch_cells;
  int margin;  // allocated cells of the margin
  const ring* rings;
  const int* margin_cells;
  const int* margin_count;
  const int* recorded_first;
  const int* recorded_place;
  const int* recorded_column;
  const quartet* table;
  int rows_held;              // in shared memory, from first_held_mv on
  unsigned long long* boxes;  // for voltages, [tag & 1][k]
  unsigned long long* bad;    // step << 32 | cell of the first bad cell of fixed steps
  unsigned* error;            // bits of the error of the last fixed step
  float* kept;   // [((block * cells of a thread + c) * warps + warp) * field::count * lanes_of_warp]
  float at, rt;  // tolerances
  cuda::patience patience;
};

// The layout of a block's dynamic shared memory. `room` is the number of cells that its threads can hold.
struct shared_layout {
  run_of_block* run;  // adaptive steps only
  quartet* table;
  ring* rings;
  float* weight;      // [slot * room + place]
  float* voltage[2];  // own cells, then the margin
  float* base;        // voltages at the beginning of the step, the same cells; methods of several stages only
  float* slope;       // of V, [stage * room + place]
  float* concentration;  // at the beginning of the step, [x * room + place]
  int* margin_cells;
  int margin_count;

  static std::size_t bytes(int rows, int room, int patch_cells, int margin, int stages) {
    const int patch = patch_cells + margin;
    const int of_stages = stages > 1 ? patch + (stages - 1 + static_cast<int>(concentrations)) * room : 0;
    return run_bytes + sizeof(quartet) * static_cast<std::size_t>(rows * quartets_of_row) +
           (sizeof(ring) + sizeof(float) * slots) * static_cast<std::size_t>(room) +
           sizeof(float) * static_cast<std::size_t>(2 * patch + of_stages + margin);
  }

  __device__ shared_layout(const tuned_data& d, int room) {
    const int patch = d.patch_cells + d.margin;
    run = reinterpret_cast<run_of_block*>(cuda::dynamic_shared<quartet>());
    table = cuda::dynamic_shared<quartet>() + run_bytes / sizeof(quartet);
    rings = reinterpret_cast<ring*>(table + d.rows_held * quartets_of_row);
    weight = reinterpret_cast<float*>(rings + room);
    voltage[0] = weight + static_cast<int>(slots) * room;
    voltage[1] = voltage[0] + patch;
    margin_cells = reinterpret_cast<int*>(voltage[1] + patch);
    base = reinterpret_cast<float*>(margin_cells + d.margin);
    slope = base + patch;
    concentration = slope + (d.plan.stages - 1) * room;
    margin_count = d.margin_count[blockIdx.x];
  }

 private:
  static constexpr std::size_t run_bytes = (sizeof(run_of_block) + 15) / 16 * 16;
};

// A block's place in the sphere, and the cells of a thread: the one at its index and, if there are two, the one
// blockDim.x further.
struct patch_place {
  int first;  // the patch's first cell
  int own;    // the number of its cells
  int room;

  __device__ patch_place(const tuned_data& d, int cells_of_thread)
      : first(static_cast<int>(blockIdx.x) * d.patch_cells),
        own(min(d.patch_cells, d.s.cells - first)),
        room(static_cast<int>(blockDim.x) * cells_of_thread) {}

  __device__ static int of_cell(int c) {
    return static_cast<int>(threadIdx.x + static_cast<unsigned>(c) * blockDim.x);
  }
  __device__ bool is_own(int place) const { return place < own; }
  // The fields of a thread's cell c.
  __device__ static float* kept(const tuned_data& d, int cells_of_thread, int c) {
    const unsigned warps = blockDim.x / lanes_of_warp;
    const unsigned first =
        (blockIdx.x * static_cast<unsigned>(cells_of_thread) + static_cast<unsigned>(c)) * warps;
    const unsigned warp = first + threadIdx.x / lanes_of_warp;
    return d.kept + (warp * field::count * lanes_of_warp + threadIdx.x % lanes_of_warp);
  }
  // Idle lanes read the first cell.
  __device__ int cell_at(int place) const { return first + (place < own ? place : 0); }
};

// Fills everything except the voltages of the block's own cells.
__device__ inline void fill(const shared_layout& l, const tuned_data& d, const patch_place& at,
                            const float* from) {
  const auto thread = static_cast<int>(threadIdx.x);
  const auto threads = static_cast<int>(blockDim.x);
  constexpr int first_held = (first_held_mv - lowest_mv) * rows_of_mv;
  for (int n = thread; n < d.rows_held * quartets_of_row; n += threads)
    l.table[n] = d.table[first_held * quartets_of_row + n];
  for (int place = thread; place < at.room; place += threads) {
    l.rings[place] = at.is_own(place) ? d.rings[at.first + place] : ring{};
#pragma unroll
    for (int slot = 0; slot < static_cast<int>(slots); ++slot)
      l.weight[slot * at.room + place] =
          at.is_own(place) ? d.s.weight[slot * d.s.stride + at.first + place] : 0;
  }
  for (int n = thread; n < l.margin_count; n += threads) {
    const int k = d.margin_cells[static_cast<int>(blockIdx.x) * d.margin + n];
    l.margin_cells[n] = k;
    l.voltage[0][d.patch_cells + n] = from[k];
  }
}

// The rate of V due to diffusion, (7).
__device__ inline float diffused(const shared_layout& l, const ring& near, const float* v, float here,
                                 int room, int place) {
  float sum = 0;
#pragma unroll
  for (int slot = 0; slot < static_cast<int>(slots); ++slot)
    sum += l.weight[slot * room + place] * (v[near.place(slot)] - here);
  return sum;
}

__device__ inline float stimulus_of(const sphere<float>& s, unsigned active, int k) {
  float sum = 0;
  if (active == 0) return sum;
  for (unsigned n = 0; n < most_stimuli; ++n)
    if (((active & s.stimulated[k]) >> n & 1U) != 0) sum += s.strength[n];
  return sum;
}

// Stores the voltages of the block's recorded cells as a sample; called by all threads of the block.
__device__ inline void keep_voltages(const tuned_data& d, const sample_data<float>& to, const float* v,
                                     int sample, double t) {
  const int end = d.recorded_first[blockIdx.x + 1];
  for (int n = d.recorded_first[blockIdx.x] + static_cast<int>(threadIdx.x); n < end;
       n += static_cast<int>(blockDim.x))
    to.values[sample * to.columns + d.recorded_column[n]] = v[d.recorded_place[n]];
  if (blockIdx.x == 0 && threadIdx.x == 0) to.times[sample] = t;
}

// What a thread holds in registers. Currents belong to the argument y of the stage under way.
template <int cells_of_thread>
struct thread_cells {
  float y[cells_of_thread][variables];
  flows i[cells_of_thread];
  float change[cells_of_thread];  // of V, without the stimulus
  // Only Euler uses these two. Other methods have no registers for them: they look for stimuli in each stage while any is
  // on, and read voltages from shared memory.
  float stimulus[cells_of_thread];
  float v_next[cells_of_thread];

  __device__ void load(const tuned_data& d, const shared_layout& l, const patch_place& at,
                       const float* from) {
#pragma unroll
    for (int c = 0; c < cells_of_thread; ++c) {
      const int place = at.of_cell(c);
      const int k = at.cell_at(place);
#pragma unroll
      for (int n = 0; n < static_cast<int>(variables); ++n) y[c][n] = from[n * d.s.stride + k];
      if (at.is_own(place)) l.voltage[0][place] = y[c][at_v];
    }
  }

  __device__ void stimulate(const tuned_data& d, const patch_place& at, unsigned active) {
#pragma unroll
    for (int c = 0; c < cells_of_thread; ++c)
      stimulus[c] = stimulus_of(d.s, active, at.cell_at(at.of_cell(c)));
  }

  __device__ void store(const tuned_data& d, const patch_place& at, float* to) const {
#pragma unroll
    for (int c = 0; c < cells_of_thread; ++c) {
      const int place = at.of_cell(c);
      if (!at.is_own(place)) continue;
#pragma unroll
      for (int n = 0; n < static_cast<int>(variables); ++n) to[n * d.s.stride + at.first + place] = y[c][n];
    }
  }
};

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::atrium
