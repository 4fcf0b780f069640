// SPDX-License-Identifier: MIT
// One step of Euler with Rush-Larsen for cells whose variables are in registers, as done
// by one thread and by a block.
#pragma once

#include <cmath>
#include <cstddef>

#include "solvers/atrium/cuda_cells.hpp"
#include "solvers/atrium/cuda_patches.hpp"
#include "solvers/atrium/cuda_samples.hpp"
#include "solvers/atrium/cuda_table.hpp"
#include "solvers/common/cuda/mail.hpp"

namespace reprise::atrium {
inline namespace REPRISE_CUDA_FLAVOUR {

constexpr int first_held_mv = -112;
constexpr int most_rows_held = 400;

// Addresses and data that do not change between launches.
struct tuned_data {
  sphere<float> s;
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
  unsigned long long* boxes;  // [tag & 1][k]
  unsigned long long* bad;    // step << 32 | cell of the first bad cell
  cuda::patience patience;
};

// Consecutive steps of one length under the same stimuli.
struct stretch {
  long long before;  // steps of the run before these
  int steps;
  float h;
  unsigned active;
  unsigned tag;              // last tag that was used for mail
  double first_multiple;     // step n ends at (first_multiple + n) dt,
  double dt, end;            // except that the last one ends at `end`
  float u_decay, fca_decay;  // 1 - exp(-h / tau)
};

namespace fast {
__device__ inline float inverse(float x) {
#ifdef __CUDA_ARCH__
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else
  return 1 / x;
#endif
}
__device__ inline float exp2(float x) {
#ifdef __CUDA_ARCH__
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else
  return std::exp2(x);
#endif
}
__device__ inline float log2(float x) {
#ifdef __CUDA_ARCH__
  float y;
  asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else
  return std::log2(x);
#endif
}
constexpr float log2_of_e = 1.44269504F;
constexpr float ln2 = .69314718F;
}  // namespace fast

// Reads the table. The rows for common voltages are in shared memory.
struct table_reader {
  const quartet* held;
  const quartet* all;
  int rows_held;
  float x;
  int row;

  __device__ table_reader(const quartet* in_shared, const tuned_data& d, float v)
      : held(in_shared), all(d.table), rows_held(d.rows_held) {
    const table_place at = place_in_table(v);
    x = at.from_middle;
    row = at.row;
  }

  template <int first, int count>
  __device__ void read(quartet (&values)[count]) const {
    quartet c[count][coefficients];
    constexpr int first_held = (first_held_mv - lowest_mv) * rows_of_mv;
    const int row_held = row - first_held;
    if (static_cast<unsigned>(row_held) < static_cast<unsigned>(rows_held)) {
      fetch<first>(c, held + row_held * quartets_of_row);
    } else {
      fetch<first>(c, all + row * quartets_of_row);
    }
#pragma unroll
    for (int q = 0; q < count; ++q) values[q] = value_of(c[q], x);
  }

 private:
  template <int first, int count>
  __device__ static void fetch(quartet (&c)[count][coefficients], const quartet* from) {
#pragma unroll
    for (int q = 0; q < count; ++q)
#pragma unroll
      for (int n = 0; n < coefficients; ++n) c[q][n] = from[(first + q) * coefficients + n];
  }
};

// Results of the first half of a step that the second half needs.
struct flows {
  float sodium, potassium, calcium, release;  // as they enter the concentrations
  float signal;                               // for the gates of the calcium store
};

// The rate of V without diffusion and stimuli, (20) and appendix A.
__device__ inline float membrane_current(const float (&y)[variables], const table_reader& at, flows& i) {
  using namespace physical;
  constexpr auto per_log2 = static_cast<float>(rt_over_f * .69314718055994531);
  constexpr float log2_na_o = 7.1292830169F;
  constexpr float log2_k_o = 2.4329594073F;
  constexpr float log2_ca_o = .8479969065F;
  constexpr float log2_ten = 3.3219280949F;
  quartet f[first_gate_quartet];
  at.read<0>(f);
  const float v = y[at_v];
  const float log2_na = fast::log2(y[at_nai]);
  const float from_na = v - per_log2 * (log2_na_o - log2_na);
  const float from_k = v - per_log2 * (log2_k_o - fast::log2(y[at_ki]));
  const float from_ca = v - .5F * per_log2 * (log2_ca_o - fast::log2(y[at_cai]));
  const float na = 7.8F * (y[at_m] * y[at_m] * y[at_m]) * (y[at_h] * y[at_j]) * from_na;
  const float conductance = f[0].of[0] + .1652F * (y[at_oa] * y[at_oa] * y[at_oa]) * y[at_oi] +
                            f[0].of[2] * (y[at_ua] * y[at_ua] * y[at_ua]) * y[at_ui] + f[0].of[3] * y[at_xr] +
                            .12941176F * (y[at_xs] * y[at_xs]);
  const float potassium = conductance * from_k;
  const float cal = .12375F * (y[at_d] * y[at_f]) * y[at_fca] * (v - 65);
  const float nak = f[1].of[0] * fast::inverse(1 + fast::exp2(1.5F * (log2_ten - log2_na)));
  const float naca = f[1].of[1] * (y[at_nai] * y[at_nai] * y[at_nai]) - f[1].of[2] * y[at_cai];
  const float bna = 6.744375e-4F * from_na;
  const float bca = 1.131e-3F * from_ca;
  const float pca = .275F * y[at_cai] * fast::inverse(.0005F + y[at_cai]);
  i.release = 30 * (y[at_u] * y[at_u]) * (y[at_v_gate] * y[at_w]) * (y[at_carel] - y[at_cai]);
  i.sodium = 3 * (nak + naca) + bna + na;
  i.potassium = 2 * nak - potassium;
  i.calcium = 2 * naca - pca - cal - bca;
  i.signal = static_cast<float>(1000 / 1.367 * volume_release) * i.release -
             static_cast<float>(1000 / 1.367 * capacitance / (2 * faraday)) * (.5F * cal - .2F * naca);
  return -(na + potassium + f[0].of[1] * from_k + cal + nak + naca + bna + bca + pca);
}

__device__ inline void follow(float& w, float decay, float target) {
  w += (target - w) * decay;
}

// 1 - exp(-x), by its series where the difference would lose digits.
__device__ inline float decay_of(float x) {
  const float series = x * (1 - x * (1.F / 2) * (1 - x * (1.F / 3) * (1 - x * .25F * (1 - x * .2F))));
  return x < .25F ? series : 1 - fast::exp2(-x * fast::log2_of_e);
}

// Advances four gates of the table.
template <int first>
__device__ inline void follow_gates_of(float (&y)[variables], const table_reader& at) {
  quartet f[2];
  at.read<first_gate_quartet + first / 2>(f);
#pragma unroll
  for (int n = 0; n < 4; ++n)
    follow(y[gate_of_table(first + n)], f[n / 2].of[n % 2 * 2], f[n / 2].of[n % 2 * 2 + 1]);
}

__device__ inline void follow_gates(float (&y)[variables], const table_reader& at, const flows& i,
                                    const stretch& now) {
  follow_gates_of<0>(y, at);
  follow_gates_of<4>(y, at);
  follow_gates_of<8>(y, at);
  follow(y[at_fca], now.fca_decay, .00035F * fast::inverse(.00035F + y[at_cai]));
  const float released = fast::inverse(1 + fast::exp2((250 - i.signal) * fast::log2_of_e));
  follow(y[at_u], now.u_decay, released);
  follow(y[at_v_gate], decay_of(now.h * fast::inverse(1.91F + 2.09F * released)),
         fast::inverse(1 + fast::exp2((i.signal - 50) * fast::log2_of_e)));
}

__device__ inline void change_concentrations(float (&y)[variables], const flows& i, float h) {
  using namespace physical;
  constexpr auto charge = static_cast<float>(per_charge);
  const float cai = y[at_cai];
  const float uptake = .005F * cai * fast::inverse(cai + .00092F);
  const float leak = static_cast<float>(.005 / 15) * y[at_caup];
  const float transfer = (y[at_caup] - y[at_carel]) * static_cast<float>(1. / 180);
  const float b1 = .5F * charge * i.calcium + static_cast<float>(volume_uptake / volume) * (leak - uptake) +
                   static_cast<float>(volume_release / volume) * i.release;
  const float troponin = fast::inverse(cai + .0005F);
  const float calmodulin = fast::inverse(cai + .00238F);
  const float b2 = 1 + static_cast<float>(.07 * .0005) * (troponin * troponin) +
                   static_cast<float>(.05 * .00238) * (calmodulin * calmodulin);
  const float calsequestrin = fast::inverse(y[at_carel] + .8F);
  y[at_nai] -= h * charge * i.sodium;
  y[at_ki] += h * charge * i.potassium;
  y[at_cai] += h * b1 * fast::inverse(b2);
  y[at_caup] += h * (uptake - leak - static_cast<float>(volume_release / volume_uptake) * transfer);
  y[at_carel] += h * (transfer - i.release) * fast::inverse(1 + 8 * (calsequestrin * calsequestrin));
}

// Whether a cell is bad. If a variable not tested here is non-finite, V becomes non-finite in the same step.
__device__ inline bool is_bad(const float (&y)[variables]) {
  const float others = y[at_cai] + y[at_caup] + y[at_carel] + y[at_u] + y[at_v_gate] + y[at_w];
  return !(fabsf(y[at_v]) < static_cast<float>(largest_voltage)) || !(others * 0 == 0);
}

// The layout of a block's dynamic shared memory.
struct shared_layout {
  quartet* table;
  ring* rings;
  float* weight;      // [slot * room + place]
  float* voltage[2];  // own cells, then the margin
  int* margin_cells;
  int margin_count;

  static std::size_t bytes(int rows, int room, int patch_cells, int margin) {
    return sizeof(quartet) * static_cast<std::size_t>(rows * quartets_of_row) +
           (sizeof(ring) + sizeof(float) * slots) * static_cast<std::size_t>(room) +
           sizeof(float) * static_cast<std::size_t>(2 * (patch_cells + margin) + margin);
  }

  __device__ shared_layout(const tuned_data& d, int room) {
    table = cuda::dynamic_shared<quartet>();
    rings = reinterpret_cast<ring*>(table + d.rows_held * quartets_of_row);
    weight = reinterpret_cast<float*>(rings + room);
    voltage[0] = weight + static_cast<int>(slots) * room;
    voltage[1] = voltage[0] + d.patch_cells + d.margin;
    margin_cells = reinterpret_cast<int*>(voltage[1] + d.patch_cells + d.margin);
    margin_count = d.margin_count[blockIdx.x];
  }
};

// Fills everything except the voltages of the block's own cells.
__device__ inline void fill(const shared_layout& l, const tuned_data& d, int room, int first, int own,
                            const float* from) {
  const auto thread = static_cast<int>(threadIdx.x);
  const auto threads = static_cast<int>(blockDim.x);
  constexpr int first_held = (first_held_mv - lowest_mv) * rows_of_mv;
  for (int n = thread; n < d.rows_held * quartets_of_row; n += threads)
    l.table[n] = d.table[first_held * quartets_of_row + n];
  for (int place = thread; place < room; place += threads) {
    const bool is_own = place < own;
    l.rings[place] = is_own ? d.rings[first + place] : ring{};
#pragma unroll
    for (int slot = 0; slot < static_cast<int>(slots); ++slot)
      l.weight[slot * room + place] = is_own ? d.s.weight[slot * d.s.stride + first + place] : 0;
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
  for (unsigned n = 0; n < most_stimuli; ++n)
    if (((active & s.stimulated[k]) >> n & 1U) != 0) sum += s.strength[n];
  return sum;
}

// Records voltages after a step; called by all threads of the block.
__device__ inline void keep_voltages(const tuned_data& d, const sample_data<float>& to, const float* v,
                                     long long accepted, double t) {
  const auto slot = static_cast<int>(accepted / to.every - to.first);
  const int end = d.recorded_first[blockIdx.x + 1];
  for (int n = d.recorded_first[blockIdx.x] + static_cast<int>(threadIdx.x); n < end;
       n += static_cast<int>(blockDim.x))
    to.values[slot * to.columns + d.recorded_column[n]] = v[d.recorded_place[n]];
  if (blockIdx.x == 0 && threadIdx.x == 0) to.times[slot] = t;
}

// The cells of one thread: the one at its index and, if there are two, the one blockDim.x further.
template <int cells_of_thread>
struct thread_cells {
  float y[cells_of_thread][variables];
  float stimulus[cells_of_thread];
  flows i[cells_of_thread];
  float v_next[cells_of_thread];
};

template <int cells_of_thread>
__device__ inline void load(thread_cells<cells_of_thread>& mine, const tuned_data& d, const stretch& now,
                            const shared_layout& l, int first, int own, const float* from) {
#pragma unroll
  for (int c = 0; c < cells_of_thread; ++c) {
    const auto place = static_cast<int>(threadIdx.x + static_cast<unsigned>(c) * blockDim.x);
    const int k = first + (place < own ? place : 0);  // idle lanes repeat a cell
#pragma unroll
    for (int n = 0; n < static_cast<int>(variables); ++n) mine.y[c][n] = from[n * d.s.stride + k];
    mine.stimulus[c] = stimulus_of(d.s, now.active, k);
    if (place < own) l.voltage[0][place] = mine.y[c][at_v];
  }
}

template <int cells_of_thread>
__device__ inline void step(thread_cells<cells_of_thread>& mine, const tuned_data& d, const stretch& now,
                            const shared_layout& l, int first, int own, int n) {
  const auto room = static_cast<int>(blockDim.x) * cells_of_thread;
  const float* const v = n % 2 == 0 ? l.voltage[0] : l.voltage[1];
  float* const v_next = n % 2 == 0 ? l.voltage[1] : l.voltage[0];
  const unsigned tag = now.tag + static_cast<unsigned>(n) + 1;
  unsigned long long* const boxes = d.boxes + (tag & 1U) * static_cast<unsigned>(d.s.cells);
  const bool is_last = n + 1 == now.steps;
#pragma unroll
  for (int c = 0; c < cells_of_thread; ++c) {
    const auto place = static_cast<int>(threadIdx.x + static_cast<unsigned>(c) * blockDim.x);
    const ring near = l.rings[place];
    const float here = mine.y[c][at_v];
    const table_reader at(l.table, d, here);
    const float change = membrane_current(mine.y[c], at, mine.i[c]) + mine.stimulus[c] +
                         diffused(l, near, v, here, room, place);
    mine.v_next[c] = here + now.h * change;
    if (place < own) v_next[place] = mine.v_next[c];
    if (near.is_wanted != 0 && !is_last) cuda::post(boxes + first + place, tag, mine.v_next[c]);
  }
#pragma unroll
  for (int c = 0; c < cells_of_thread; ++c) {
    const auto place = static_cast<int>(threadIdx.x + static_cast<unsigned>(c) * blockDim.x);
    const table_reader at(l.table, d, mine.y[c][at_v]);
    follow_gates(mine.y[c], at, mine.i[c], now);
    change_concentrations(mine.y[c], mine.i[c], now.h);
    mine.y[c][at_v] = mine.v_next[c];
    if (is_bad(mine.y[c]) && place < own)
      atomicMin(d.bad, static_cast<unsigned long long>(now.before + n) << 32U |
                           static_cast<unsigned>(first + place));
  }
  if (is_last) return;
  for (auto m = static_cast<int>(threadIdx.x); m < l.margin_count; m += static_cast<int>(blockDim.x))
    cuda::collect(boxes + l.margin_cells[m], tag, v_next[d.patch_cells + m], d.patience);
}

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::atrium
