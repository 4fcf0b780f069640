// SPDX-License-Identifier: MIT
// Checks how a run ends at a cell that is none: it names the first such cell, and its state, time and samples are those
// before the step. The spheres are so large that work-groups, blocks and patches are several; bad cells are in a middle
// one and in the last one, where a cell's number is not its place.
#pragma once

#include <memory>
#include <vector>

#include "solvers/atrium/variant.hpp"
#include "verification/atrium/check.hpp"
#include "verification/checkers/finding.hpp"

namespace reprise::verification::atrium {

// A run that ends at a bad cell.
struct bad_run {
  reprise::atrium::problem sphere;
  reprise::atrium::control control;
  double first_end{};         // the run is interrupted here
  std::vector<int> no_cells;  // those that have a NaN from the start
  int bad_cell{};             // the one that the solver names
  long rejected{};
  std::shared_ptr<const stepwise_expectation> before;  // up to the last good step
  int good_steps{};
};

// Cells with a NaN from the start: the last one of the sphere; then three, of which the lowest is named. With fixed steps
// also a cell in the middle whose voltage leaves its bounds after several steps, so that whatever took more steps at once
// has to go back to them.
std::vector<bad_run> bad_runs(int subdivisions, reprise::atrium::scheme method,
                              reprise::atrium::gate_rule rule, bool is_adaptive);

// Loads each of the runs' spheres.
std::vector<checkers::finding> verify_bad_cells(reprise::atrium::solver& s, int subdivisions,
                                                reprise::atrium::scheme method,
                                                reprise::atrium::gate_rule rule, bool is_adaptive,
                                                precision arithmetic);

}  // namespace reprise::verification::atrium
