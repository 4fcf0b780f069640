// SPDX-License-Identifier: MIT
// A step of Euler with Rush-Larsen of one cell, whose state streams through the chip while functions of the voltage
// come from the table in memory.
// Place: beyond the paper, whose kernels evaluate some 50 exponentials a cell.
// Formula: (8) and (11). Functions of the voltage are those of cuda_table.hpp.
//
// A step reads and writes 21 variables of a cell, and reads six weights and six neighbours' numbers: 216 bytes. With
// exponentials, issue takes longer than that. With tables it is hidden. State, weights and numbers pass the L1 cache
// by, which is left to the table, 400 bytes for each half millivolt, and to the neighbours' voltages.
#pragma once

#include "solvers/atrium/cuda_cells.hpp"
#include "solvers/atrium/tuned_cell.hpp"

namespace reprise::atrium {
inline namespace REPRISE_CUDA_FLAVOUR {

constexpr unsigned streamed_threads = 128;
constexpr int streamed_blocks = 6;  // per multiprocessor, in 80 registers a thread

struct streamed_step {
  const quartet* table;
  gate_span span;
  unsigned active;
  long long attempt;
};

// The rate of V due to stimuli and diffusion, (7).
__device__ inline float supplied_past_caches(const sphere<float>& s, const float* v, float here,
                                             unsigned active, int k) {
  float sum = 0;
#pragma unroll
  for (unsigned n = 0; n < most_stimuli; ++n)
    if (active != 0 && ((active & s.stimulated[k]) >> n & 1U) != 0) sum += s.strength[n];
#pragma unroll
  for (int slot = 0; slot < static_cast<int>(slots); ++slot) {
    const int other = __ldcg(s.neighbours + slot * s.stride + k);
    sum += __ldcg(s.weight + slot * s.stride + k) * (v[other] - here);
  }
  return sum;
}

// Makes the step of cell k from one state to another. Returns whether the result is valid.
__device__ inline bool stream_cell(const sphere<float>& s, const streamed_step& step, const float* from,
                                   float* to, int k) {
  float y[variables];
  y[at_v] = from[k];
#pragma unroll
  for (int n = 1; n < static_cast<int>(variables); ++n) y[n] = __ldcg(from + n * s.stride + k);
  const table_reader table(nullptr, step.table, 0, y[at_v]);
  flows i;
  const float change = membrane_current(y, table, i) + supplied_past_caches(s, from, y[at_v], step.active, k);
  float slope[concentrations];
  concentration_slopes(y, i, slope);
  follow_gates<follow_by::decay>(y, table, i, step.span, false,
                                 [&](variable gate, float value) { y[gate] = value; });
  y[at_v] += step.span.h * change;
#pragma unroll
  for (int x = 0; x < static_cast<int>(concentrations); ++x)
    y[first_concentration + x] += step.span.h * slope[x];
#pragma unroll
  for (int n = 0; n < static_cast<int>(variables); ++n) __stcg(to + n * s.stride + k, y[n]);
  return !is_bad(y);
}

// Functions of the voltage come from the table.
constexpr work work_of_streamed_step() {
  work w = counted(data_of(scheme::euler), gate_rule::rush_larsen, sizeof(float));
  w.functions = functions_of_currents + functions_of_follow;
  return w;
}

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::atrium
