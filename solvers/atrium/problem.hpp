// SPDX-License-Identifier: MIT
// Courtemanche's atrial cells on a sphere, as plain data: the mesh, the cells' parameters and states, the
// stimuli, which cells are looked at, and how time is stepped.
// Place: sections 2, 3 and 5, appendix A. Units: mV, ms, mM, mm, pA/pF, uM for acetylcholine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace reprise::atrium {

// V | gates | concentrations, in the order of the published initial state.
enum variable : std::uint8_t {
  at_v,
  at_m,
  at_h,
  at_j,
  at_oa,
  at_oi,
  at_ua,
  at_ui,
  at_xr,
  at_xs,
  at_d,
  at_f,
  at_fca,
  at_u,
  at_v_gate,
  at_w,
  at_nai,
  at_ki,
  at_cai,
  at_caup,
  at_carel
};
constexpr std::size_t variables = 21;
constexpr std::size_t gates = 15;
constexpr std::size_t first_gate = at_m;
constexpr std::size_t concentrations = 5;
constexpr std::size_t first_concentration = at_nai;

using cell_state = std::array<double, variables>;
// V in mV, concentrations in mM.
cell_state published_initial_state();

struct cell_parameters {
  double acetylcholine{.1};
  bool acetylcholine_carries_potassium{true};  // its current counts in the change of Ki
};

constexpr std::size_t slots = 6;

// An icosahedron with poles on the z axis whose edges were halved `subdivisions` times. A cell's neighbours
// rise; the twelve cells that have only five name themselves in the sixth slot, with weight 0. Cells are
// numbered along a walk through the triangles that visits the four parts of each in turn, so that neighbours
// are mostly close in memory.
struct mesh {
  int subdivisions{};
  double radius{};
  std::vector<std::array<double, 3>> position;
  std::vector<std::array<int, slots>> neighbours;
  std::vector<std::array<double, slots>> weight;  // 1 / d^2 by the chord d

  std::size_t cells() const { return position.size(); }
};

// To those cells whose coordinate `axis` (0 is x) is at least `from_share` of the radius.
struct stimulus {
  double start{};
  double length{};
  double strength{};  // pA/pF, which is mV/ms
  std::size_t axis{};
  double from_share{};
};

struct protocol {
  std::vector<stimulus> stimuli;
  double t_end{};
};
// Two stimuli, at 1 ms from the north pole and at 250 ms from a side, over 300 ms.
protocol usual_protocol();

struct problem {
  mesh where;
  cell_parameters cell;
  double diffusion{.06};  // D in mm^2/ms
  protocol what;
  std::vector<std::uint8_t> stimulated;  // bit s: the cell gets stimulus s
  std::vector<cell_state> state0;
  std::vector<int> recorded;

  std::size_t cells() const { return where.cells(); }
};

// 10 4^subdivisions + 2.
double cells_of(int subdivisions);
// 14.15 mm at seven subdivisions, half of it for each less: the edges stay 0.134 mm long.
double radius_of(int subdivisions);
// Of host memory, for a problem with a solver of two states in single precision and one in double.
constexpr double bytes_per_cell = 700;

// Throws bad_input for a sphere that does not exist or does not fit this machine's memory.
void require_room(int subdivisions);
// Throws bad_input for a stimulus outside the time simulated, and for what is no time, length or strength.
void require_sense(const protocol& what);
// Requires both before anything is allocated.
problem sphere_problem(int subdivisions, const protocol& what = usual_protocol());
// One cell without neighbours, which gets every stimulus.
problem single_cell_problem(const protocol& what = usual_protocol());
// Every cell in a state of its own, far from rest: tells apart in a few steps what a wave shows late.
problem skew_problem(int subdivisions);

// The published order of recorded cells is not known: cell floor(N frac((k + 1/2) 0.618...)) is the k-th of
// the hundred.
std::vector<int> recorded_cells(std::size_t cells);

// Voltages of the recorded cells along a run.
struct recording {
  std::vector<double> t;
  std::vector<double> v;  // [sample][cell]
};

// Bit s: stimulus s is on in a step whose middle is t. A step has one stimulus from beginning to end.
unsigned active_stimuli(const protocol& what, double t);
// Times at which a stimulus begins or ends, rising.
std::vector<double> edges_of(const protocol& what);

// Above this step explicit Euler is unstable where V is diffused alone: 2 over the largest eigenvalue of
// -D sum_j (V_k - V_j) / d_kj^2, by power iteration. The cells' own conductance lowers it a little.
double diffusive_step_limit(const problem& p);

// trapezoidal, the 2(1) pair with Euler; then pairs 3(2), 5(4), 5(4); black_box, whatever a library's solver
// does on its own.
enum class scheme { euler, midpoint, trapezoidal, bogacki_shampine, fehlberg, cash_karp, black_box };
constexpr std::array<scheme, 6> all_runge_kutta{scheme::euler,       scheme::midpoint,
                                                scheme::trapezoidal, scheme::bogacki_shampine,
                                                scheme::fehlberg,    scheme::cash_karp};
std::string_view to_string(scheme s);
constexpr bool is_pair(scheme s) {
  return s != scheme::euler && s != scheme::midpoint && s != scheme::black_box;
}

// plain        gates are variables like all others
// rush_larsen  at each stage, and at the end of the step, gates start from the stage evaluated before with
//              the latest time below that stage's (the last of equals), and follow (11) from there with that
//              stage's coefficients
enum class gate_rule { plain, rush_larsen };
constexpr std::array<gate_rule, 2> all_gate_rules{gate_rule::plain, gate_rule::rush_larsen};
std::string_view to_string(gate_rule g);

struct control {
  scheme method{};
  gate_rule gates{};
  bool is_adaptive{};
  double dt{};  // of all steps, or of the first
  double at{};  // tolerances, absolute and relative
  double rt{};
  double least_dt{};          // a step that has to be shorter stagnates
  long long most_attempts{};  // of a run, before it is given up
  int record_every{};         // accepted steps; 0: nothing is recorded
};

// Throw bad_input for steps and tolerances that are not positive numbers (rt may be 0), for adaptive steps of
// a method without an error estimate, and for a black box with fixed steps or Rush-Larsen, which needs them.
control fixed_steps(scheme method, gate_rule gates, double dt);
control adaptive_steps(scheme method, gate_rule gates, double at, double rt, double t_end);

}  // namespace reprise::atrium
