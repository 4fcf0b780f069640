// SPDX-License-Identifier: MIT
// The interface of the atrium variants: integrates a sphere of cells from t = 0 by one of the paper's
// methods, and records voltages of selected cells. A unit of work is one cell in one evaluation of the
// right-hand side, gates included.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "solvers/atrium/controller.hpp"
#include "solvers/atrium/methods.hpp"
#include "solvers/atrium/problem.hpp"
#include "solvers/common/base/registry.hpp"
#include "solvers/common/base/stopwatch.hpp"

namespace reprise::atrium {

// Flops of a unit of work; an exponential, a root or a division counts as one. There are 467 for a
// cell's rates below -40 mV, 75 to advance its gates once, 18 for six neighbours, and two for each slope
// that enters the next argument.
constexpr double flops_of(double slopes) {
  return 467 + 75 + 18 + 2 * slopes;
}

// The average number of slopes that enter an argument or the result, of all variables that have slopes.
constexpr double slopes_of(const method_data& m, gate_rule rule) {
  const double controlled = rule == gate_rule::plain ? variables : 1 + concentrations;
  return (static_cast<double>(m.stages) + 1) / 2 * controlled;
}

// The work of evaluating a cell in one stage. It reads or writes the cell's state, six neighbours with their
// weights and numbers, the slopes of the stages so far, and the argument and gates of later stages.
constexpr work evaluation(double slopes, double word_bytes, double bytes_dram) {
  return {.bytes_logical = (variables + 2 * slots + slopes + 2 * variables) * word_bytes + 4 * slots,
          .bytes_dram = bytes_dram,
          .bytes_dram_once = 0,
          .flops = flops_of(slopes)};
}

// Exponentials and logarithms of a cell's rates, below -40 mV as in flops_of(), and of advancing its gates once by
// Rush-Larsen.
constexpr double functions_of_rates = 45;
constexpr double functions_of_gates = gates;

// How often a step follows a cell's gates under Rush-Larsen: once for every later stage, and for the result unless a
// stage's gates are also the result's.
constexpr double followed_gates(const method_data& m) {
  bool is_result_known = false;
  for (std::size_t i = 1; i < m.stages; ++i) is_result_known = is_result_known || m.has_final_gates(i);
  return static_cast<double>(m.stages) - (is_result_known ? 1 : 0);
}

// Functions in evaluating a cell in one stage.
constexpr double functions_of(const method_data& m, gate_rule rule) {
  const double followed = rule == gate_rule::plain ? 0 : followed_gates(m) / static_cast<double>(m.stages);
  return functions_of_rates + functions_of_gates * followed;
}

// Launches one part of an attempt by itself, from the current state.
struct kernel_probe {
  std::string name;
  std::function<void()> launch;
};

class solver {
 public:
  virtual ~solver() = default;

  virtual void load(const problem& p, precision arithmetic) = 0;
  // Returns to t = 0 and the initial state and keeps what it can. Later steps follow `c`.
  virtual void reset(const control& c) = 0;
  // Integrates up to t_end. Returns when the outcome is known, even if the state is not complete yet.
  virtual progress advance(double t_end) = 0;
  // Waits for the state of all cells and returns it.
  virtual std::vector<cell_state> state() = 0;
  // The recorded cells at t = 0 and after every control::record_every-th accepted step.
  virtual recording recorded() = 0;
  virtual stopwatch& clock() = 0;
  // Bytes and flops of a unit of work for the loaded problem and method.
  virtual work per_unit() const = 0;
  // The parts of an attempt that computes an error, in order. They do not change the state.
  virtual std::vector<kernel_probe> kernels() { return {}; }
};

// Whether a variant is a black box, judged by its name because the variant may not have been built. Black
// boxes support only scheme::black_box, in double precision; no other variant supports it.
inline bool is_black_box(std::string_view id) {
  return id.substr(id.find('/') + 1).starts_with("cvode_");
}

// A variant that combines one class for each precision.
template <class Single, class Double>
class in_either_precision final : public either_precision<solver, Single, Double> {
 public:
  using either_precision<solver, Single, Double>::either_precision;

  void load(const problem& p, precision arithmetic) override { this->made(arithmetic).load(p, arithmetic); }
  void reset(const control& c) override { this->typed().reset(c); }
  progress advance(double t_end) override { return this->typed().advance(t_end); }
  std::vector<cell_state> state() override { return this->typed().state(); }
  recording recorded() override { return this->typed().recorded(); }
  stopwatch& clock() override { return this->typed().clock(); }
  work per_unit() const override { return this->typed().per_unit(); }
  std::vector<kernel_probe> kernels() override { return this->typed().kernels(); }
};

}  // namespace reprise::atrium
