// SPDX-License-Identifier: MIT
// Courtemanche's atrial cells on a sphere, as plain data: the mesh, the cells' parameters and states, the
// stimuli, the recorded cells, and the control of time steps.
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
  bool acetylcholine_carries_potassium{true};  // whether its current counts in the change of Ki
};

constexpr std::size_t slots = 6;

// An icosahedron with poles on the z axis whose edges are halved `subdivisions` times. A cell's neighbours
// are sorted. The twelve cells with only five neighbours have themselves in the sixth slot, with weight 0.
// Cells are numbered along a walk through the triangles that visits the four parts of each in turn, so that
// neighbours are mostly close in memory.
struct mesh {
  int subdivisions{};
  double radius{};
  std::vector<std::array<double, 3>> position;
  std::vector<std::array<int, slots>> neighbours;
  std::vector<std::array<double, slots>> weight;  // 1 / d^2, where d is the chord in mm

  std::size_t cells() const { return position.size(); }
};

// A stimulus to all cells whose coordinate `axis` (0 is x) is at least `from_share` of the radius.
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
// Two stimuli over 300 ms: one at 1 ms at the north pole, one at 250 ms at a side.
protocol usual_protocol();

struct problem {
  atrium::mesh mesh;
  cell_parameters cell;
  double diffusion{.06};  // D in mm^2/ms
  atrium::protocol protocol;
  std::vector<std::uint8_t> stimulated;  // bit s: the cell gets stimulus s
  std::vector<cell_state> state0;
  std::vector<int> recorded;

  std::size_t cells() const { return mesh.cells(); }
};

// 10 4^subdivisions + 2.
double cells_of(int subdivisions);
// 14.15 mm at seven subdivisions and half as much with each one less, so that
// edges keep a length of 0.134 mm.
double radius_of(int subdivisions);
// Host memory in bytes per cell for a problem and a solver with two states in single
// and one in double precision.
constexpr double bytes_per_cell = 700;

// Throws bad_input if the sphere does not exist or does not fit in this machine's memory.
void require_room(int subdivisions);
// Throws bad_input for a stimulus outside the simulated time, and for invalid times, lengths or strengths.
void require_sense(const protocol& what);
// Makes both checks before it allocates anything.
problem sphere_problem(int subdivisions, const protocol& what = usual_protocol());
// One cell without neighbours, which gets every stimulus.
problem single_cell_problem(const protocol& what = usual_protocol());

// The paper does not publish which cells it records. Here the k-th of a hundred is cell
// floor(N frac((k + 1/2) 0.618...)).
std::vector<int> recorded_cells(std::size_t cells);

// Voltages of the recorded cells during a run.
struct recording {
  std::vector<double> t;
  std::vector<double> v;  // [sample][cell]
};

// Bit s is set if stimulus s is on in a step whose middle is t. It is then on for the whole step.
unsigned active_stimuli(const protocol& what, double t);
// Times at which a stimulus begins or ends, in increasing order.
std::vector<double> edges_of(const protocol& what);

// Explicit Euler is unstable above this step (ms) if V only diffuses: 2 divided by the largest
// eigenvalue of -D sum_j (V_k - V_j) / d_kj^2, which is found by power iteration. The cells' own
// conductance lowers the limit slightly.
double diffusive_step_limit(const problem& p);

// trapezoidal is the 2(1) pair with Euler. The next three are pairs of orders 3(2), 5(4) and 5(4).
// exponential_midpoint is the midpoint method whose gates make the whole step with the coefficients of its middle, as
// in Sundnes et al. 2009; it is not the paper's. black_box means the method of a library's solver, whatever it is.
enum class scheme {
  euler,
  midpoint,
  trapezoidal,
  bogacki_shampine,
  fehlberg,
  cash_karp,
  exponential_midpoint,
  black_box
};
constexpr std::array<scheme, 7> all_runge_kutta{
    scheme::euler,    scheme::midpoint,  scheme::trapezoidal,         scheme::bogacki_shampine,
    scheme::fehlberg, scheme::cash_karp, scheme::exponential_midpoint};
std::string_view to_string(scheme s);
constexpr bool is_pair(scheme s) {
  return s != scheme::euler && s != scheme::midpoint && s != scheme::exponential_midpoint &&
         s != scheme::black_box;
}

// plain        gates are treated like all other variables
// rush_larsen  at each stage, and at the end of the step, gates start from an earlier stage and follow (11)
//              with that stage's coefficients; of the stages evaluated before, it is the one with the latest
//              time below that of the stage (the last one if several are equal); the result of exponential_midpoint
//              has the coefficients of that stage too, but starts from the beginning of the step
enum class gate_rule { plain, rush_larsen };
constexpr std::array<gate_rule, 2> all_gate_rules{gate_rule::plain, gate_rule::rush_larsen};
std::string_view to_string(gate_rule g);

constexpr int most_pauses = 4;

struct control {
  scheme method{};
  gate_rule gates{};
  bool is_adaptive{};
  double dt{};  // length of all steps, or of the first
  double at{};  // absolute and relative tolerance
  double rt{};
  double least_dt{};          // shorter steps count as stagnation
  long long most_attempts{};  // number of attempts after which a run is given up
  int record_every{};         // number of accepted steps between samples; 0 records nothing
  // advance() also returns after the first `pause_steps` accepted steps, after the first accepted step that ends
  // at or after each of these times, and `pause_steps` accepted steps later. A pause changes no step: the next
  // advance() continues as if there had been none.
  double pauses[most_pauses]{};
  int pause_count{};
  int pause_steps{};
};

// Throw bad_input for steps and tolerances that are not positive numbers (rt may be 0), for adaptive
// steps of a method without an error estimate, and for a black box with fixed steps or with Rush-Larsen,
// which needs to know the step.
control fixed_steps(scheme method, gate_rule gates, double dt);
control adaptive_steps(scheme method, gate_rule gates, double at, double rt, double t_end);

}  // namespace reprise::atrium
