// SPDX-License-Identifier: MIT
// Reference answers for atrium, with right-hand sides and tableaus independent of the solvers'. They are: the
// paper's reference (Cash and Karp's pair with Rush-Larsen), the fixed steps of every method, and an
// integration that shares neither method nor gate rule with the solvers.
#pragma once

#include <vector>

#include "reference/atrium/cell.hpp"

namespace reprise::reference::atrium {

using state = std::vector<cell_state>;

// All functions throw std::invalid_argument if a state has the wrong length, if a method lacks an error
// estimate that is needed, or if a time, step or tolerance is not positive and finite.

// Bit s is set if stimulus s is on in a step whose middle is t.
unsigned stimuli_at(const protocol& what, double t);
// Begins and ends of all stimuli, in increasing order.
std::vector<double> stimulus_edges(const protocol& what);

// d/dt of all variables, diffusion included. Bit s of `active` switches stimulus s on.
state rate(const problem& p, const state& y, unsigned active);

// The coefficients a and b of a gate, dw/dt = a w + b, in a given state of the cell.
struct gate_line {
  double a, b;
};
std::array<gate_line, gates> gates_of(const problem& p, const cell_state& y);

struct stepped {
  state y;
  double error{};  // of the last step: max |high - low| over the controlled variables; 0 without an estimate
  long evaluations{};  // of the right-hand side
  recording recorded;  // at t = 0 and after every step
};
// Takes `count` steps of length dt (ms) from state0 at t = 0. The error covers V and the concentrations,
// and under the plain gate rule the gates too. Tests vary `jump` (mV) to find the answers that depend on
// the exact place of the jump.
stepped steps(const problem& p, scheme method, gate_rule rule, double dt, long count,
              double jump = sodium_jump);

// The first cell with a variable that is not finite, or with |V| of 300 mV or more; -1 if there is none.
int first_bad_cell(const state& y);

struct run {
  state y;
  recording recorded;  // at t = 0 and after every accepted step
  long accepted{};
  long rejected{};
};

// How a run takes its steps.
struct stepping {
  scheme method;
  gate_rule rule;
  bool is_adaptive;
  double dt;          // of fixed steps
  double at{}, rt{};  // of adaptive ones
};

// A run between two steps.
struct moment {
  state y;
  double t{};
  double wanted{};  // adaptive: the next step, before it is cut
  double error{};   // of the last attempt
  long accepted{};
  long rejected{};
  recording recorded{};  // after every accepted step
};

// Where the two sides of a decision are equally right: the voltage at which the rates of h and j jump, and the
// largest error that is accepted.
struct decisions {
  double jump{sodium_jump};
  double accepted_error{1};
};

// Makes so many further attempts, or fewer if t_end is reached. Fixed steps end at multiples of dt and at t_end;
// a step after which a cell is no cell any more is rejected and ends them.
moment continued(const problem& p, const stepping& by, moment from, double t_end, long attempts,
                 const decisions& taken = {});

// Algorithm 3 from state0 to t_end, with local extrapolation and (15) with frac = 0.9. A step grows by at
// most 5 and shrinks by at most 10. Steps are cut at the stimuli's edges, and the uncut length is used again
// afterwards. Throws std::runtime_error if the step becomes too small to advance the time.
run adaptive(const problem& p, scheme method, gate_rule rule, double at, double rt, double t_end);

// The paper's reference solution: Cash-Karp with Rush-Larsen, rt = 1e-6, at = 1e-3.
run paper_reference(const problem& p, double t_end);

// Integrates by Boost.odeint's Dormand-Prince method from stimulus edge to stimulus edge, treating gates like
// all other variables. `tolerance` is both the absolute and the relative tolerance. Steps also end at the times
// `at`, so that the run has these samples.
run integrate(const problem& p, double t_end, double tolerance, const std::vector<double>& at = {});
// The state of one cell without stimuli by the same method in long double, rounded once at the end: for tolerances
// near the rounding of double.
cell_state integrate_in_long_double(const problem& p, double t_end, double tolerance);

}  // namespace reprise::reference::atrium
