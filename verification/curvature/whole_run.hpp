// SPDX-License-Identifier: MIT
// Judges a whole run of the paper's problems. Where the reference can afford it, by its own Algorithm 4.1 on
// the same grid: the surface at every sample time and the number of attempts. Else the errors against the exact
// solution must be those of the exact scheme, which are known as a power series in h.
#pragma once

#include <memory>
#include <vector>

#include "reference/curvature/integration.hpp"
#include "reference/curvature/manufactured.hpp"
#include "solvers/common/base/registry.hpp"
#include "solvers/curvature/controller.hpp"
#include "solvers/curvature/problem.hpp"
#include "verification/checkers/finding.hpp"
#include "verification/curvature/pinned.hpp"

namespace reprise::verification::curvature {

class whole_run_expectation {
 public:
  whole_run_expectation(const reprise::curvature::problem& p, start from, const std::vector<double>& times,
                        const reference::curvature::rules& r);

  bool has_surfaces() const { return !surfaces_.empty(); }
  // `surfaces`: one at each sample time.
  std::vector<checkers::finding> judge(const std::vector<std::vector<double>>& surfaces,
                                       const reprise::curvature::merson& end, precision arithmetic) const;

 private:
  double eps_;
  std::vector<std::vector<double>> surfaces_;
  long long attempts_{};
};

// The last few are kept, because many variants share them.
std::shared_ptr<const whole_run_expectation> expect_run(const reprise::curvature::problem& p, start from,
                                                        const std::vector<double>& times,
                                                        const reference::curvature::rules& r);

// Errors in the norms (31)-(33) of a run to T = 0.1 on a square grid that is too fine for the reference. None on
// other grids.
std::vector<checkers::finding> judge_norms(
    const reprise::curvature::problem& p, const reference::curvature::norms& found,
    const reprise::curvature::merson& end, precision arithmetic,
    reprise::curvature::integrator method = reprise::curvature::integrator::merson);

// About how many seconds the reference takes for so many evaluations of the right-hand side on one core.
double reference_seconds(const reprise::curvature::problem& p, double evaluations);

}  // namespace reprise::verification::curvature
