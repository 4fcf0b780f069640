// SPDX-License-Identifier: MIT
// Checks the problem itself: what the solvers' code states is compared with what the reference states by its
// own literals (reference/angiogenesis/paper.hpp). Solver and reference are given the same problem elsewhere,
// so a wrong default, coordinate or initial value would be right there.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "solvers/angiogenesis/problem.hpp"
#include "verification/checkers/finding.hpp"

namespace reprise::verification::angiogenesis {

struct problem_check {
  std::string name;
  std::function<std::vector<checkers::finding>()> judge;
};

// Named cases and parameter sets, coordinates, initial states, matrices, the explicit part in every reading,
// the monitors, and the members of studies.
std::vector<problem_check> problem_checks();

// What a run uses if nothing else is asked for.
std::vector<checkers::finding> judge_defaults(const reprise::angiogenesis::parameters& with, double dt);

// The largest relative difference between sets of parameters; NaN if a value is or if the lengths differ.
double parameters_distance(const std::vector<reprise::angiogenesis::parameters>& sets,
                           const std::vector<reprise::angiogenesis::parameters>& stated);
// Problems with the same parameters, reading, step, coordinates and initial state.
std::vector<checkers::finding> judge_problem(const reprise::angiogenesis::problem& p,
                                             const reprise::angiogenesis::problem& stated);
// The solvers' matrices and explicit part of a problem against the reference's of the stated one.
std::vector<checkers::finding> judge_operators(const reprise::angiogenesis::problem& p,
                                               const reprise::angiogenesis::problem& stated);

// An initial state without any symmetry, whose fields have negative values inside and at their ends, and in
// which C exceeds 1: both sides of every comparison, and every term at its full size.
std::vector<double> rough_state(int nodes);

}  // namespace reprise::verification::angiogenesis
