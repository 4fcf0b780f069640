// SPDX-License-Identifier: MIT
// What atrium answers are measured against: right-hand sides and tableaus of its own, Cash and Karp's pair
// with Rush-Larsen as the paper's reference, the fixed steps of every method, and an integration that shares
// neither method nor gate rule with the solvers.
#pragma once

#include <vector>

#include "solvers/atrium/problem.hpp"

namespace reprise::reference::atrium {

using namespace reprise::atrium;

using state = std::vector<cell_state>;

// The voltage, in mV, at which the rates of the sodium channel's h and j jump.
constexpr double sodium_jump = -40;

// A state of another length, a method without an estimate where one is needed, or a time, step or tolerance
// that is no sensible number, throws std::invalid_argument.

// d/dt of everything, diffusion included, with the stimuli of the bits `active`.
state rate(const problem& p, const state& y, unsigned active);

// A gate's a and b, dw/dt = a w + b, in a cell's state.
struct gate_line {
  double a, b;
};
std::array<gate_line, gates> gates_of(const problem& p, const cell_state& y);

struct stepped {
  state y;
  double error{};  // of the last step: max |high - low| over what is controlled; 0 without an estimate
};
// `count` steps of one length from state0 at t = 0. What is controlled: V and the concentrations, under the
// plain rule the gates too. `jump` is for telling which answers that jump makes uncertain.
stepped steps(const problem& p, scheme method, gate_rule rule, double dt, long count,
              double jump = sodium_jump);

struct run {
  state y;
  recording recorded;  // at t = 0 and after every accepted step
  long accepted{};
  long rejected{};
};

// Algorithm 3 from state0 to t_end: local extrapolation, (15) with frac = 0.9, growth at most 5, shrinking at
// most 10, steps cut at the stimuli's edges, the uncut one remembered. Throws std::runtime_error where the
// step becomes too small to advance the time.
run adaptive(const problem& p, scheme method, gate_rule rule, double at, double rt, double t_end);

// The paper's reference solution: Cash-Karp with Rush-Larsen at rt = 1e-6, at = 1e-3.
run paper_reference(const problem& p, double t_end);

// Dormand and Prince's method by Boost.odeint, gates like all other variables, from stimulus edge to stimulus
// edge. Its tolerance is absolute and relative at once.
run integrate(const problem& p, double t_end, double tolerance);

}  // namespace reprise::reference::atrium
