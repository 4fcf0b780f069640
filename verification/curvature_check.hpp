// SPDX-License-Identifier: MIT
// What a right curvature answer is. Step by step: the surface and the error estimate after a few Merson steps
// of one length, against Boost.odeint with Merson's tableau on the reference's own right-hand side. Run by
// run: the surface against Boost.odeint's Fehlberg method and the number of steps against a plain
// Algorithm 4.1.
#pragma once

#include <memory>
#include <vector>

#include "reference/curvature/reference.hpp"
#include "solvers/curvature/variant.hpp"
#include "verification/checkers/finding.hpp"

namespace reprise::verification::curvature {

class stepwise_expectation {
 public:
  explicit stepwise_expectation(const reprise::curvature::problem& p);

  double tau() const { return tau_; }
  static constexpr int steps = 3;
  std::vector<checkers::finding> judge(const std::vector<double>& surface,
                                       const reprise::curvature::merson& m, precision arithmetic) const;

 private:
  double tau_;
  reference::curvature::stepped reference_;
  double growth_;  // of a disturbance of the initial surface from node to node
};

// Dear at the sizes that are timed, and many variants share them: the last few are kept.
std::shared_ptr<const stepwise_expectation> expect_steps(const reprise::curvature::problem& p);

class run_expectation {
 public:
  // Some forty steps at the limit of stability.
  explicit run_expectation(const reprise::curvature::problem& p);

  const std::vector<double>& sample_times() const { return times_; }
  reprise::curvature::control control() const { return control_; }
  std::vector<checkers::finding> judge(const std::vector<double>& surface,
                                       const reprise::curvature::merson& m, precision arithmetic) const;

 private:
  std::vector<double> times_;
  reprise::curvature::control control_;
  std::vector<double> surface_;
  reference::curvature::merson_run plain_;
};

// Each starts the loaded solver from t = 0 and judges.
std::vector<checkers::finding> verify(reprise::curvature::solver& s, const stepwise_expectation& e,
                                      precision arithmetic);
std::vector<checkers::finding> verify(reprise::curvature::solver& s, const run_expectation& e,
                                      precision arithmetic);

// What is said of a run that did not reach its end; empty where it did.
std::string failure_of(const reprise::curvature::merson& m);

}  // namespace reprise::verification::curvature
