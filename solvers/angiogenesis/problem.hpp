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

// The parameters by their names in a parameter file.
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

// The paper's Table 1 is lost. These are the two sets that its authors use elsewhere; slow is the default.
parameters slow_parameters();  // S1
parameters fast_parameters();  // S2

// Parse lines of the form NAME = NUMBER, each name once, with optional blanks; # begins a comment. They throw
// bad_input, with file and line, if a name is missing, unknown or repeated, or if a value is not a number.
parameters parse_parameters(std::string_view text, const std::filesystem::path& file);
parameters read_parameters(const std::filesystem::path& file);

// The three interpretations of (f u_x)_x, which the paper describes as the product rule with "centred
// differences with appropriate boundary modifications".
// nodal         V1: (G f)(G u) + f (Lap u) for u = I, F and T
// analytic      V2: as nodal for I and F; exact T_x / (1 + a4 T) and its derivative
// conservative  V3: differences of fluxes at half points, with no flux through the ends
enum class taxis { nodal, analytic, conservative };
constexpr std::array<taxis, 3> all_readings{taxis::nodal, taxis::analytic, taxis::conservative};
std::string_view to_string(taxis reading);

// step    C is 1 for x <= 0.1 and 0 beyond; the other fields are constant, each with a different value
// smooth  cosines whose slopes vanish at both ends
enum class start { step, smooth };

enum class field { c, p, i, f };
constexpr int fields = 4;

// Node i is at x = i h with i = 0 ... M - 1 and h = 1 / (M - 1). A state, U of the paper, holds the M
// values each of C, P, I and F.
struct problem {
  angiogenesis::parameters parameters;
  taxis reading{};
  int nodes{};  // M
  double dt{};
  std::vector<double> u0;

  int unknowns() const { return fields * nodes; }
  double h() const { return 1.0 / (nodes - 1); }
  double x(int i) const { return i * h(); }
};

// These functions throw bad_input for fewer than 3 nodes, for more nodes than an int can count or
// this machine's memory can hold, for a step that is not a positive number, and for parameters that
// are not finite or make no sense.
problem make_problem(const parameters& with, taxis reading, start from, int nodes, double dt);
// A problem whose u0 is empty, for callers that set their own initial state.
problem empty_problem(const parameters& with, taxis reading, int nodes, double dt);

struct named_case {
  std::string_view name;
  angiogenesis::problem problem;
  int steps;
};
named_case default_case();  // the paper's run: Table 5 and Fig 3, which have 400 nodes
named_case stress_case();   // steps so long that rows are swapped and values are clipped
named_case smooth_case();   // every term matters and nothing is discontinuous: finds errors best

}  // namespace reprise::angiogenesis
