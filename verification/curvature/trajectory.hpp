// SPDX-License-Identifier: MIT
// Judges parts of a run by Algorithm 4.1, or by the Chebyshev method: from one state of the solver, which is its surface and its controller,
// the reference goes on to the solver's next stop. An error of any attempt on the way is seen, whenever it
// begins, and no difference between the two histories piles up.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "reference/curvature/integration.hpp"
#include "solvers/curvature/variant.hpp"
#include "verification/checkers/finding.hpp"

namespace reprise::verification::curvature {

// A solver at a stop.
struct moment {
  reprise::curvature::merson state;
  std::vector<double> surface;
};

// Metrics of the surface, of the step that the controller wants next, and of the counts.
struct stretch_metrics {
  std::string surface, control, count;
};
inline const stretch_metrics sequence_metrics{"sequence_error", "sequence_step", "sequence_count"};
inline const stretch_metrics timed_metrics{"timed_work_error", "timed_step_error", "timed_count_error"};

// The solver went from `before` through all `stops` to `after`, by the rules that it was given. Where rounding
// is a visible part of e, as in single precision at usual tolerances, only the surface is judged.
std::vector<checkers::finding> judge_stretch(
    const reprise::curvature::problem& p, const reprise::curvature::control& given, const moment& before,
    std::span<const double> stops, const moment& after, precision arithmetic, const stretch_metrics& metrics,
    reprise::curvature::integrator method = reprise::curvature::integrator::merson);

// Starts the loaded solver with steps that are too long and stops it after about every attempt: behind it, so
// that its e shows in the next step, or within it, so that e itself shows. At least fifty attempts, some of them
// rejected, each judged from the solver's own state.
std::vector<checkers::finding> verify_sequence(reprise::curvature::solver& s,
                                               const reprise::curvature::problem& p, precision arithmetic);

// Leads the controller into every guard: an error of zero, one that is not a number, one far above eps, and as
// many attempts as are allowed. Loads problems of its own.
std::vector<checkers::finding> verify_guards(reprise::curvature::solver& s, reprise::curvature::flow motion,
                                             precision arithmetic);

}  // namespace reprise::verification::curvature
