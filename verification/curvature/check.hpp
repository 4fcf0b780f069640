// SPDX-License-Identifier: MIT
// Defines when a curvature answer is right. For a few Merson steps of one length: the surface and the
// error estimate, against Boost.odeint with Merson's tableau on the reference's own right-hand side.
// For an adaptive run: the surface against Boost.odeint's Fehlberg method, and, in double
// precision, the number of steps against the reference's own Algorithm 4.1. A stabilised method is judged in the
// same way, by the reference's own.
#pragma once

#include <memory>
#include <vector>

#include "reference/curvature/integration.hpp"
#include "solvers/curvature/variant.hpp"
#include "verification/checkers/finding.hpp"
#include "verification/curvature/pinned.hpp"

namespace reprise::verification::curvature {

using reprise::curvature::integrator;

class stepwise_expectation {
 public:
  // `from`: the surface that the paper, or we, begin with. The problem itself is judged by the reference's literals.
  explicit stepwise_expectation(const reprise::curvature::problem& p, start from = start::skew,
                                integrator method = integrator::merson);

  double tau() const { return tau_; }
  static constexpr int steps = 3;
  std::vector<checkers::finding> judge(const std::vector<double>& surface,
                                       const reprise::curvature::merson& m, precision arithmetic) const;

 private:
  double tau_;
  reference::curvature::stepped reference_;
  checkers::finding of_problem_;
  double growth_;           // growth of a node-to-node disturbance of the initial surface
  double weight_of_rates_;  // in the error estimate, of roundings that are multiplied by the spectral radius
};

// The last few of timed sizes and all of small problems are kept, because they are expensive and shared by many variants.
std::shared_ptr<const stepwise_expectation> expect_steps(const reprise::curvature::problem& p,
                                                         start from = start::skew,
                                                         integrator method = integrator::merson);

class run_expectation {
 public:
  // About forty steps at the limit of stability.
  explicit run_expectation(const reprise::curvature::problem& p, integrator method = integrator::merson);

  const std::vector<double>& sample_times() const { return times_; }
  reprise::curvature::control control() const { return control_; }
  std::vector<checkers::finding> judge(const std::vector<double>& surface,
                                       const reprise::curvature::merson& m, precision arithmetic) const;

 private:
  std::vector<double> times_;
  reprise::curvature::control control_;
  checkers::finding of_control_;
  std::vector<double> surface_;
  reference::curvature::adaptive_run plain_;
};

// Each starts the loaded solver at t = 0 and judges its answer.
std::vector<checkers::finding> verify(reprise::curvature::solver& s, const stepwise_expectation& e,
                                      precision arithmetic);
std::vector<checkers::finding> verify(reprise::curvature::solver& s, const run_expectation& e,
                                      precision arithmetic);

// Why a run did not reach its end; empty if it did.
std::string failure_of(const reprise::curvature::merson& m);

}  // namespace reprise::verification::curvature
