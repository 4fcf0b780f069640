// SPDX-License-Identifier: MIT
// Defines when a jacobi answer is right: it is compared with Eigen's iterate in double precision after the
// same number of sweeps and, for "neumann", the weighted sum 1^T D x must be conserved.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <vector>

#include "solvers/jacobi/variant.hpp"
#include "verification/checkers/finding.hpp"

namespace reprise::verification::jacobi {

class expectation {
 public:
  expectation(std::shared_ptr<const reprise::jacobi::problem> p, reprise::jacobi::matrix kind, int sweeps);

  const reprise::jacobi::problem& problem() const { return *problem_; }
  int sweeps() const { return sweeps_; }
  // The limits are those of the answer's precision.
  std::vector<checkers::finding> judge(const std::vector<float>& x) const;
  std::vector<checkers::finding> judge(const std::vector<double>& x) const;

 private:
  std::vector<checkers::finding> judge(const Eigen::VectorXd& x, double limit) const;

  std::shared_ptr<const reprise::jacobi::problem> problem_;
  reprise::jacobi::matrix kind_;
  int sweeps_;
  Eigen::VectorXd reference_;
};

// The limit of many sweeps on "pinned": the solution of the linear system by sparse LU.
class converged_expectation {
 public:
  converged_expectation(int nx, int ny, precision arithmetic = precision::single);

  const reprise::jacobi::problem& problem() const { return problem_; }
  int sweeps() const { return sweeps_; }
  std::vector<checkers::finding> judge(const std::vector<float>& x) const;
  std::vector<checkers::finding> judge(const std::vector<double>& x) const;

 private:
  reprise::jacobi::problem problem_;
  std::vector<checkers::finding> judge(const Eigen::VectorXd& x) const;

  Eigen::VectorXd solution_;
  double one_sweep_;      // the rounding of one sweep, relative to max |x|
  double contraction_{};  // asymptotic factor of the error per sweep
  int sweeps_{};          // as many as reduce the error below rounding
};

// The largest error that rounding explains after this many sweeps, relative to max |x|.
double rounding_limit(int sweeps, precision arithmetic = precision::single);

Eigen::VectorXd answer_of(reprise::jacobi::solver& s, precision arithmetic);

// Judges `sweeps` sweeps that a solver made from the state `before`, which it computed itself.
checkers::finding judge_sweeps(const reprise::jacobi::problem& p, const Eigen::VectorXd& before, int sweeps,
                               const Eigen::VectorXd& after, precision arithmetic);

// The last few are kept, because they are expensive at timed sizes and shared by many variants.
std::shared_ptr<const expectation> expect(reprise::jacobi::matrix kind, int nx, int ny, int sweeps);

template <class Expectation>
std::vector<checkers::finding> judge_answer(reprise::jacobi::solver& s, const Expectation& e,
                                            precision arithmetic) {
  return arithmetic == precision::single ? e.judge(s.solution()) : e.judge(s.solution_in_double());
}

// Starts the loaded solver from x0 and judges its answer. Sweeps in two calls, so that buffers left
// in the wrong order are found.
template <class Expectation>
std::vector<checkers::finding> verify(reprise::jacobi::solver& s, const Expectation& e,
                                      precision arithmetic = precision::single) {
  s.reset();
  s.sweep(e.sweeps() / 2);
  s.sweep(e.sweeps() - e.sweeps() / 2);
  return judge_answer(s, e, arithmetic);
}

inline void load(reprise::jacobi::solver& s, const reprise::jacobi::problem& p, precision arithmetic) {
  if (arithmetic == precision::single) {
    s.load(p);
  } else {
    s.load_in_double(p);
  }
}

}  // namespace reprise::verification::jacobi
