// SPDX-License-Identifier: MIT
// What a right jacobi answer is: the iterate of Eigen's double precision after the same number of sweeps and,
// for "neumann", the weighted sum 1^T D x that the iteration conserves.
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
  std::vector<checkers::finding> judge(const std::vector<float>& x) const;

 private:
  std::shared_ptr<const reprise::jacobi::problem> problem_;
  reprise::jacobi::matrix kind_;
  int sweeps_;
  Eigen::VectorXd reference_;
};

// The end of a long iteration on "pinned": the solution of the linear system by sparse LU.
class converged_expectation {
 public:
  converged_expectation(int nx, int ny);

  const reprise::jacobi::problem& problem() const { return problem_; }
  int sweeps() const { return sweeps_; }
  std::vector<checkers::finding> judge(const std::vector<float>& x) const;

 private:
  reprise::jacobi::problem problem_;
  Eigen::VectorXd solution_;
  double contraction_{};  // of the error in one sweep, in the end
  int sweeps_{};          // after which what is left of it is below rounding
};

// Largest error that rounding in single precision explains after this many sweeps, relative to max |x|.
double rounding_limit(int sweeps);

// Expectations are dear at the sizes that are timed, and many variants share them: the last few are kept.
std::shared_ptr<const expectation> expect(reprise::jacobi::matrix kind, int nx, int ny, int sweeps);

// Starts the loaded solver from x0, sweeps in two parts (which tells apart buffers left in the wrong order),
// judges.
template <class Expectation>
std::vector<checkers::finding> verify(reprise::jacobi::solver& s, const Expectation& e) {
  s.reset();
  s.sweep(e.sweeps() / 2);
  s.sweep(e.sweeps() - e.sweeps() / 2);
  return e.judge(s.solution());
}

}  // namespace reprise::verification::jacobi
