// SPDX-License-Identifier: MIT
// Compares the problem that solvers and reference read with the paper's, by numbers of the reference's own.
#pragma once

#include <vector>

#include "solvers/atrium/problem.hpp"
#include "verification/checkers/finding.hpp"

namespace reprise::verification::atrium {

// The largest relative differences of the sphere, its graph and weights, the diffusion, the initial state, and of
// the cells that are stimulated and recorded. The initial state is compared only if it is the published one.
std::vector<checkers::finding> judge_problem(const reprise::atrium::problem& p, double acetylcholine);

// The usual stimuli, the sequence in which they switch, and the limits of the controllers.
std::vector<checkers::finding> judge_protocol(const reprise::atrium::protocol& what);
std::vector<checkers::finding> judge_control(const reprise::atrium::control& c, double at, double rt,
                                             double t_end);

// All of these for a sphere of so many subdivisions.
std::vector<checkers::finding> judge_paper_problem(int subdivisions);

}  // namespace reprise::verification::atrium
