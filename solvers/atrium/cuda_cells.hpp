// SPDX-License-Identifier: MIT
// Shared parts of the kernels that compute a stage for a cell: the sphere as structure of arrays, the stages'
// arguments and slopes, and the checks of a step's result. Variable n of cell k is element [n * stride + k].
// Place: section 4.2, layout (18), and Algorithm 6.
#pragma once

#include <algorithm>
#include <type_traits>
#include <vector>

#include "solvers/atrium/cell.hpp"
#include "solvers/atrium/columns.hpp"
#include "solvers/atrium/controller.hpp"
#include "solvers/atrium/methods.hpp"
#include "solvers/atrium/variant.hpp"
#include "solvers/common/base/aligned.hpp"
#include "solvers/common/cuda/cuda.hpp"

namespace reprise::atrium {
inline namespace REPRISE_CUDA_FLAVOUR {

constexpr std::size_t most_stimuli = 8;

// Words of a whole step that must cross the memory bus if the sphere is larger than the caches: the state in
// and out, and between stages arguments, gates and slopes out and in.
constexpr work counted(const method_data& m, gate_rule rule, double word_bytes) {
  const auto stages = static_cast<double>(m.stages);
  const double slopes = slopes_of(m, rule);
  const double between = stages == 1 ? 0 : 3 * slopes / stages;
  work w = evaluation(slopes, word_bytes, (2 * variables + slots + between) * word_bytes + 4 * slots);
  w.functions = functions_of(m, rule);
  return w;
}

// In single precision, division is accurate to two units in the last place instead of half a unit. It then
// takes two instructions instead of ten and a branch, and a cell has sixty divisions.
template <class Real>
struct device_math : library_math<Real> {
  __device__ __forceinline__ static Real over(Real a, Real b) {
    if constexpr (std::is_same_v<Real, float>)
      return __fdividef(a, b);
    else
      return a / b;
  }
};

// Data that does not change during a run.
template <class Real>
struct sphere {
  int cells;
  int stride;
  cell_constants<Real> constants;
  const Real* weight;  // [slot * stride + k], D / d^2
  const int* neighbours;
  const std::uint8_t* stimulated;
  Real strength[most_stimuli];
};

// A method's coefficients for one stage, and the addresses that the stage reads and writes.
template <class Real>
struct stage_data {
  int stage;
  int stages;
  bool is_judged;  // whether the error is needed
  double
      next[most_stages];  // weights of the slopes, in steps, in the argument of the next stage or the result
  double error[most_stages];
  double at, rt;
  Real* slope[most_stages];  // [n * stride + k], for the controlled variables n
  int followed;              // number of later arguments, or the result, whose gates start from this stage
  double over[2];            // their gates' time span, in steps
  Real* gates[2];            // where their gates are stored; null for the result
  Real* gates_copied;        // if not null, the result also gets the gates of gates[0]
  bool restarts_gates;       // the followed gates are those of the result and start from the old ones
};

// Addresses of the state, of the stage's argument, and of the next argument or the result.
template <class Real>
struct places {
  const Real* state;
  const Real* here;
  Real* onto;
  Real* result;
};

template <class Real>
struct step_size {
  double h;
  unsigned active;  // bit s: stimulus s is on
};

template <gate_rule rule>
constexpr int controlled = rule == gate_rule::plain ? static_cast<int>(variables) : 1 + concentrations;

// The n-th of the variables that have slopes.
template <gate_rule rule>
REPRISE_INLINED int variable_of(int n) {
  return rule == gate_rule::plain || n == 0 ? n : static_cast<int>(first_concentration) + n - 1;
}

// The bits of a non-negative number, which are ordered like the numbers.
__device__ inline unsigned long long error_bits(double e) {
  return static_cast<unsigned long long>(__double_as_longlong(e));
}
__device__ inline double error_of(unsigned long long bits) {
  return __longlong_as_double(static_cast<long long>(bits));
}

// The rate of V due to stimuli and diffusion, (7).
template <class Real>
__device__ Real supplied(const sphere<Real>& s, const Real* v, unsigned active, int k) {
  Real sum = 0;
  if (active != 0) {
    const unsigned on = active & s.stimulated[k];
#pragma unroll
    for (unsigned n = 0; n < most_stimuli; ++n)
      if ((on >> n & 1U) != 0) sum += s.strength[n];
  }
  const Real here = v[k];
#pragma unroll
  for (int slot = 0; slot < static_cast<int>(slots); ++slot) {
    const Real other = v[s.neighbours[slot * s.stride + k]];
    sum += s.weight[slot * s.stride + k] * (other - here);
  }
  return sum;
}

// The rates of a cell. Its gates are stored as they are computed, because all of them at once
// would need too many registers.
template <gate_rule rule, class Real>
struct stored_change {
  const sphere<Real>& s;
  const stage_data<Real>& d;
  const places<Real>& p;
  const Real (&y)[variables];
  Real h;
  int k;
  Real v;
  Real concentration[concentrations];
  Real gate_slope[rule == gate_rule::plain ? gates : 1];
  Real nothing;  // zero, or NaN if a gate is not finite

  __device__ __forceinline__ void set_gate(std::size_t gate, const Real& rate, const Real& target) {
    if constexpr (rule == gate_rule::plain) {
      gate_slope[gate - first_gate] = rate * (target - y[gate]);
    } else {
      const int at = static_cast<int>(gate) * s.stride + k;
      if (d.followed > 0) {
        const Real value = followed(gate, rate, target, 0);
        (d.gates[0] != nullptr ? d.gates[0] : p.result)[at] = value;
        if (d.gates_copied != nullptr) p.result[at] = value;
      }
      if (d.followed > 1)
        (d.gates[1] != nullptr ? d.gates[1] : p.result)[at] = followed(gate, rate, target, 1);
    }
  }

 private:
  __device__ __forceinline__ Real followed(std::size_t gate, Real rate, Real target, int i) {
    const Real start = d.restarts_gates ? p.state[static_cast<int>(gate) * s.stride + k] : y[gate];
    const Real value =
        courtemanche<device_math<Real>>::followed(start, rate, target, static_cast<Real>(d.over[i]) * h);
    nothing += value * 0;
    return value;
  }
};

// The sums h sum_i weights[i] k_i over the first `count` slopes. All controlled variables are summed at once,
// so that their loads overlap.
template <gate_rule rule, class Real>
struct slope_sums {
  Real of[controlled<rule>];

  __device__ slope_sums(const sphere<Real>& s, const stage_data<Real>& d, const double* weights, double h,
                        int count, int k) {
#pragma unroll
    for (int n = 0; n < controlled<rule>; ++n) of[n] = 0;
#pragma unroll 1
    for (int i = 0; i < count; ++i) {
      const auto weight = static_cast<Real>(h * weights[i]);
      const Real* const slope = d.slope[i] + k;
#pragma unroll
      for (int n = 0; n < controlled<rule>; ++n) of[n] += weight * slope[n * s.stride];
    }
  }
};

// Computes the controlled variables of the next stage's argument, or of the result. Returns zero, or NaN if
// any of them is non-finite or |V| is not below largest_voltage.
template <gate_rule rule, class Real>
__device__ Real advance(const sphere<Real>& s, const stage_data<Real>& d, const places<Real>& p, double h,
                        const slope_sums<rule, Real>& before, const Real (&slope)[controlled<rule>], int k) {
  const bool is_last = d.stage + 1 == d.stages;
  const auto weight = static_cast<Real>(h * d.next[d.stage]);
  Real nothing = 0;
#pragma unroll
  for (int n = 0; n < controlled<rule>; ++n) {
    const int at = variable_of<rule>(n) * s.stride + k;
    const Real value = p.state[at] + (before.of[n] + weight * slope[n]);
    p.onto[at] = value;
    nothing += n == 0 && !(std::abs(value) < Real(largest_voltage)) ? Real(NAN) : value * 0;
    if (!is_last || d.is_judged) d.slope[d.stage][n * s.stride + k] = slope[n];
  }
  return nothing;
}

// Computes one stage of one cell. Returns whether everything that it stores for later stages is valid.
template <gate_rule rule, class Real>
__device__ bool evaluate(const sphere<Real>& s, const stage_data<Real>& d, const places<Real>& p,
                         const step_size<Real>& step, int k) {
  Real y[variables];
#pragma unroll
  for (int n = 0; n < static_cast<int>(variables); ++n) y[n] = p.here[n * s.stride + k];
  const slope_sums<rule, Real> before(s, d, d.next, step.h, d.stage, k);
  const Real from_outside = supplied(s, p.here, step.active, k);
  stored_change<rule, Real> change{s, d, p, y, static_cast<Real>(step.h), k, {}, {}, {}, {}};
  courtemanche<device_math<Real>>::rates(s.constants, y, change);
  Real slope[controlled<rule>];
  slope[0] = change.v + from_outside;
#pragma unroll
  for (int x = 0; x < static_cast<int>(concentrations); ++x)
    slope[controlled<rule> - static_cast<int>(concentrations) + x] = change.concentration[x];
  if constexpr (rule == gate_rule::plain) {
#pragma unroll
    for (std::size_t g = 0; g < gates; ++g) slope[first_gate + g] = change.gate_slope[g];
  }
  const Real nothing = change.nothing + advance(s, d, p, step.h, before, slope, k);
  return nothing == 0;
}

// The error e of one cell, from slopes in memory.
template <gate_rule rule, class Real>
__device__ double error_at(const sphere<Real>& s, const stage_data<Real>& d, const Real* state, double h,
                           int k) {
  const slope_sums<rule, Real> sums(s, d, d.error, h, d.stages, k);
  double largest = 0;
#pragma unroll
  for (int n = 0; n < controlled<rule>; ++n) {
    const double before = state[variable_of<rule>(n) * s.stride + k];
    const double e = std::abs(double{sums.of[n]}) / (d.at + d.rt * std::abs(before));
    largest = e > largest ? e : largest;
  }
  return largest;
}

// Whether any variable of a result is non-finite or |V| is not below largest_voltage.
template <class Real>
__device__ bool is_bad_at(const sphere<Real>& s, const Real* result, int k) {
  Real nothing = 0;  // becomes NaN if a variable is not finite
#pragma unroll
  for (int n = 0; n < static_cast<int>(variables); ++n) nothing += result[n * s.stride + k] * 0;
  return !(nothing == 0) || !(std::abs(result[k]) < Real(largest_voltage));
}

template <class T>
__device__ T largest_of_warp(T value) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) {
    const T other = __shfl_xor_sync(0xffffffffU, value, distance);
    value = other > value ? other : value;
  }
  return value;
}

// Host side: the arrays of `sphere` and those of the stages.
template <class Real>
class device_cells {
 public:
  // Cell numbers from cells() on belong to the halo of a part: cells of other parts next to this one.
  void load(const problem& p, std::size_t halo = 0) {
    cells_ = p.cells();
    stride_ = (cells_ + halo + line - 1) / line * line;
    std::vector<Real> weight(slots * stride_, Real(0));
    std::vector<int> neighbours(slots * stride_, 0);
    for (std::size_t slot = 0; slot < slots; ++slot)
      for (std::size_t k = 0; k < cells_; ++k) {
        weight[slot * stride_ + k] = static_cast<Real>(p.diffusion * p.mesh.weight[k][slot]);
        neighbours[slot * stride_ + k] = p.mesh.neighbours[k][slot];
      }
    weight_ = cuda::uploaded(weight);
    neighbours_ = cuda::uploaded(neighbours);
    stimulated_ = cuda::uploaded(p.stimulated);
    constants_ = constants_of<Real>(p.cell);
    std::fill_n(strength_, most_stimuli, Real(0));
    for (std::size_t n = 0; n < p.protocol.stimuli.size(); ++n)
      strength_[n] = static_cast<Real>(p.protocol.stimuli[n].strength);
    arguments_.clear();
    slopes_.clear();
  }

  // Allocates two states, an argument for each stage except the first, and slopes.
  void reset(const problem& p, const method_data& m, gate_rule rule) {
    const std::size_t kept = rule == gate_rule::plain ? variables : 1 + concentrations;
    while (arguments_.size() < m.stages + 1) {
      arguments_.emplace_back(variables * stride_);
      arguments_.back().fill_bytes(0);  // the padding of rows is downloaded too
    }
    while (slopes_.size() < m.stages) slopes_.emplace_back();
    for (auto& slope : slopes_)
      if (slope.size() < kept * stride_) slope = cuda::buffer<Real>(kept * stride_);
    aligned_array<Real> y(variables * stride_, Real(0));
    put_in_columns(p.state0, {}, stride_, y.data());
    arguments_[0].upload(y.data(), y.size());
  }

  std::vector<cell_state> state(int which) const {
    aligned_array<Real> y(variables * stride_, Real(0));
    arguments_[static_cast<std::size_t>(which)].download(y.data(), y.size());
    return taken_from_columns(y.data(), stride_, cells_);
  }

  sphere<Real> view() const {
    sphere<Real> s{};
    s.cells = static_cast<int>(cells_);
    s.stride = static_cast<int>(stride_);
    s.constants = constants_;
    s.weight = weight_.data();
    s.neighbours = neighbours_.data();
    s.stimulated = stimulated_.data();
    std::copy_n(strength_, most_stimuli, s.strength);
    return s;
  }

  std::size_t words_of_state() const { return variables * stride_; }
  Real* state_at(int which) { return arguments_[static_cast<std::size_t>(which)].data(); }
  // The argument of stage i > 0.
  Real* argument(std::size_t i) { return arguments_[i + 1].data(); }

  stage_data<Real> stage(const method_data& m, const control& c, std::size_t i) {
    stage_data<Real> d{};
    d.stage = static_cast<int>(i);
    d.stages = static_cast<int>(m.stages);
    d.is_judged = m.low_order > 0;
    const auto& row = i + 1 < m.stages ? m.a[i + 1] : m.b;
    std::copy(row.begin(), row.end(), d.next);
    std::copy(m.error.begin(), m.error.end(), d.error);
    d.at = c.at;
    d.rt = c.rt;
    for (std::size_t n = 0; n < m.stages; ++n) d.slope[n] = slopes_[n].data();
    if (c.gates == gate_rule::rush_larsen) name_followed(m, i, d);
    return d;
  }

 private:
  static constexpr std::size_t line = 128 / sizeof(Real);

  // Finds the stages, and the result, whose gates start from stage i. A stage whose gates are
  // also the result's comes first.
  void name_followed(const method_data& m, std::size_t i, stage_data<Real>& d) {
    bool has_result = false;
    for (std::size_t later = i + 1; later < m.stages; ++later) {
      if (m.gates_from[later] != i) continue;
      d.over[d.followed] = m.gates_over[later];
      d.gates[d.followed++] = argument(later);
      if (!m.has_final_gates(later)) continue;
      has_result = true;
      d.gates_copied = d.gates[d.followed - 1];
      std::swap(d.gates[0], d.gates[d.followed - 1]);
      std::swap(d.over[0], d.over[d.followed - 1]);
    }
    if (m.gates_from[m.stages] != i || has_result) return;
    d.restarts_gates = m.restarts_gates;
    d.over[d.followed] = m.gates_over[m.stages];
    d.gates[d.followed++] = nullptr;
  }

  std::size_t cells_{};
  std::size_t stride_{};
  cell_constants<Real> constants_{};
  Real strength_[most_stimuli]{};
  cuda::buffer<Real> weight_;
  cuda::buffer<int> neighbours_;
  cuda::buffer<std::uint8_t> stimulated_;
  std::vector<cuda::buffer<Real>> arguments_;  // the two states, then the arguments of stages 1, 2 ...
  std::vector<cuda::buffer<Real>> slopes_;
};

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::atrium
