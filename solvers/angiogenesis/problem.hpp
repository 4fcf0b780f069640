// SPDX-License-Identifier: MIT
// Tumour angiogenesis in one dimension as plain data: endothelial cells C, proteases P, inhibitor I and
// extracellular matrix F on [0, 1], the model's parameters, the step and the initial state. Place: section 3.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

namespace reprise::angiogenesis {

// C_t = d_c C_xx + (a2 C I_x)_x - (a1 C F_x)_x - (a3 C / (1 + a4 T) T_x)_x + k1 C (1 - C)
// P_t = d_p P_xx - k3 P I + k4 T C + k5 T - k6 P
// I_t = d_i I_xx - k3 P I
// F_t = -k2 P F                                      T = exp(-(1 - x)^2 / eps)
struct parameters {
  double d_c{}, d_p{}, d_i{};
  double k1{}, k2{}, k3{}, k4{}, k5{}, k6{};
  double a1{}, a2{}, a3{}, a4{};
  double eps{};
};

// By name, as in a parameter file.
constexpr std::array<std::pair<std::string_view, double parameters::*>, 14> parameter_names{
    {{"d_c", &parameters::d_c},
     {"d_p", &parameters::d_p},
     {"d_i", &parameters::d_i},
     {"k1", &parameters::k1},
     {"k2", &parameters::k2},
     {"k3", &parameters::k3},
     {"k4", &parameters::k4},
     {"k5", &parameters::k5},
     {"k6", &parameters::k6},
     {"a1", &parameters::a1},
     {"a2", &parameters::a2},
     {"a3", &parameters::a3},
     {"a4", &parameters::a4},
     {"eps", &parameters::eps}}};

// The paper's Table 1 is lost: these are the two sets that its authors use elsewhere. slow is the default.
parameters slow_parameters();  // S1
parameters fast_parameters();  // S2

// Lines NAME = NUMBER, each name once, blanks as one likes; # begins a comment. Throws bad_input, with file
// and line, for a name that is missing, unknown or there twice, and for what is no number.
parameters parse_parameters(std::string_view text, const std::filesystem::path& file);
parameters read_parameters(const std::filesystem::path& file);

// The three readings of (f u_x)_x, the product rule with "centred differences with appropriate boundary
// modifications".
// nodal         V1: (G f)(G u) + f (Lap u) for u = I, F and T
// analytic      V2: as nodal for I and F; T_x / (1 + a4 T) and its derivative exactly
// conservative  V3: differences of fluxes at half points, none through the ends
enum class taxis { nodal, analytic, conservative };
constexpr std::array<taxis, 3> all_readings{taxis::nodal, taxis::analytic, taxis::conservative};
std::string_view to_string(taxis reading);

// step    C is 1 for x <= 0.1 and 0 beyond; the others are constant, each with a value of its own
// smooth  cosines without a slope at both ends
enum class start { step, smooth };

enum class field { c, p, i, f };
constexpr int fields = 4;

// Node i is at x = i h, i = 0 ... M - 1, h = 1 / (M - 1). A state is C, P, I, F, M values each: U of the
// paper.
struct problem {
  parameters with;
  taxis reading{};
  int nodes{};  // M
  double dt{};
  std::vector<double> u0;

  int unknowns() const { return fields * nodes; }
  double h() const { return 1.0 / (nodes - 1); }
  double x(int i) const { return i * h(); }
};

// These throw bad_input for fewer than 3 nodes, for more than an int can count or this machine's memory can
// hold, for a step that is no positive number, and for parameters that are not finite or make no sense.
problem make_problem(const parameters& with, taxis reading, start from, int nodes, double dt);
// For what has an initial state of its own: u0 is left empty.
problem empty_problem(const parameters& with, taxis reading, int nodes, double dt);

struct named_case {
  std::string_view name;
  problem what;
  int steps;
};
named_case default_case();  // the paper's run: Table 5 and Fig 3, with 400 nodes there
named_case stress_case();   // steps so long that rows are swapped and values clipped
named_case smooth_case();   // every term counts, nothing is discontinuous: finds mistakes best

}  // namespace reprise::angiogenesis
