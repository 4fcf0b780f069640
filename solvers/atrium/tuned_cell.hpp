// SPDX-License-Identifier: MIT
// The kinetics of one cell whose variables are in registers. Functions of the voltage come from the table;
// functions of calcium and sodium use the device's own exponential, logarithm and inverse, good to two units
// in the last place.
#pragma once

#include <cmath>
#include <cstddef>

#include "solvers/atrium/controller.hpp"
#include "solvers/atrium/cuda_table.hpp"
#include "solvers/atrium/tuned_plan.hpp"

namespace reprise::atrium {
inline namespace REPRISE_CUDA_FLAVOUR {

constexpr int first_held_mv = -94;
constexpr int most_rows_held = 400;

// Reads the table. The rows for common voltages are in shared memory.
struct table_reader {
  const quartet* held;
  const quartet* all;
  int rows_held;
  float x;
  int row;

  __device__ table_reader(const quartet* in_shared, const quartet* in_memory, int rows_in_shared, float v)
      : held(in_shared), all(in_memory), rows_held(rows_in_shared) {
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

// Exponentials and logarithms of a stage's currents, of following the gates by the table's decays, and, where the table
// has rates, of following the table's gates.
constexpr double functions_of_currents = 4;
constexpr double functions_of_follow = 3;
constexpr double functions_of_table_rates = gates_of_table;

__device__ inline float followed(float w, float decay, float target) {
  return w + (target - w) * decay;
}

// What a table has of a gate's rate, and whether spans may also be twice as long as those of its decays.
enum class follow_by { decay, decay_or_twice, rate };

// Passes the new values of four gates of the table to sink(gate, value).
template <follow_by rule, int first, class Sink>
__device__ inline void follow_four_gates(const float (&y)[variables], const table_reader& at,
                                         const gate_span& span, bool is_twice, Sink sink) {
  quartet f[2];
  at.read<first_gate_quartet + first / 2>(f);
#pragma unroll
  for (int n = 0; n < 4; ++n) {
    const float stored = f[n / 2].of[n % 2 * 2];
    float decay = stored;
    if constexpr (rule == follow_by::rate) decay = decay_of(stored * span.h);
    // 1 - exp(-2 x) = (1 - exp(-x)) (1 + exp(-x))
    if constexpr (rule == follow_by::decay_or_twice) decay = is_twice ? stored * (2 - stored) : stored;
    const variable gate = gate_of_table(first + n);
    sink(gate, followed(y[gate], decay, f[n / 2].of[n % 2 * 2 + 1]));
  }
}

// Passes the values that all gates have after `span` to sink(gate, value).
template <follow_by rule, class Sink>
__device__ inline void follow_gates(const float (&y)[variables], const table_reader& at, const flows& i,
                                    const gate_span& span, bool is_twice, Sink sink) {
  follow_four_gates<rule, 0>(y, at, span, is_twice, sink);
  follow_four_gates<rule, 4>(y, at, span, is_twice, sink);
  follow_four_gates<rule, 8>(y, at, span, is_twice, sink);
  sink(at_fca, followed(y[at_fca], span.fca_decay, .00035F * fast::inverse(.00035F + y[at_cai])));
  const float released = fast::inverse(1 + fast::exp2((250 - i.signal) * fast::log2_of_e));
  sink(at_u, followed(y[at_u], span.u_decay, released));
  sink(at_v_gate, followed(y[at_v_gate], decay_of(span.h * fast::inverse(1.91F + 2.09F * released)),
                           fast::inverse(1 + fast::exp2((i.signal - 50) * fast::log2_of_e))));
}

// The rates of the concentrations, (22) to (28).
__device__ inline void concentration_slopes(const float (&y)[variables], const flows& i,
                                            float (&slope)[concentrations]) {
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
  slope[at_nai - first_concentration] = -charge * i.sodium;
  slope[at_ki - first_concentration] = charge * i.potassium;
  slope[at_cai - first_concentration] = b1 * fast::inverse(b2);
  slope[at_caup - first_concentration] =
      uptake - leak - static_cast<float>(volume_release / volume_uptake) * transfer;
  slope[at_carel - first_concentration] =
      (transfer - i.release) * fast::inverse(1 + 8 * (calsequestrin * calsequestrin));
}

// Whether a cell is bad. If a variable not tested here is non-finite, V becomes non-finite in the same step.
__device__ inline bool is_bad(const float (&y)[variables]) {
  const float others = y[at_cai] + y[at_caup] + y[at_carel] + y[at_u] + y[at_v_gate] + y[at_w];
  return !(fabsf(y[at_v]) < static_cast<float>(largest_voltage)) || !(others * 0 == 0);
}

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::atrium
