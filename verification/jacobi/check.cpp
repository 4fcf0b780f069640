// SPDX-License-Identifier: MIT
// Checks answers of jacobi solvers.
#include "verification/jacobi/check.hpp"

#include <cmath>
#include <deque>

#include "reference/jacobi/reference.hpp"
#include "verification/checkers/conservation.hpp"
#include "verification/checkers/norms.hpp"
#include "verification/checkers/residual.hpp"

namespace reprise::verification::jacobi {
namespace {

using reprise::jacobi::matrix;

Eigen::VectorXd in_double(const std::vector<float>& values) {
  return Eigen::Map<const Eigen::VectorXf>(values.data(), static_cast<Eigen::Index>(values.size()))
      .cast<double>();
}

Eigen::VectorXd as_vector(const std::vector<double>& values) {
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

// In double precision the reference is rounded like the answer, which doubles their distance.
double unit_roundoff(precision arithmetic) {
  return arithmetic == precision::single ? 5.96e-8 : 2 * 1.11e-16;
}

}  // namespace

double rounding_limit(int sweeps, precision arithmetic) {
  return unit_roundoff(arithmetic) * (16 + 2 * std::sqrt(static_cast<double>(sweeps)));
}

expectation::expectation(std::shared_ptr<const reprise::jacobi::problem> p, matrix kind, int sweeps)
    : problem_(std::move(p)),
      kind_(kind),
      sweeps_(sweeps),
      reference_(reference::jacobi::iterate(*problem_, sweeps)) {}

std::vector<checkers::finding> expectation::judge(const std::vector<float>& x) const {
  return judge(in_double(x), rounding_limit(sweeps_));
}

std::vector<checkers::finding> expectation::judge(const std::vector<double>& x) const {
  return judge(as_vector(x), rounding_limit(sweeps_, precision::double_));
}

std::vector<checkers::finding> expectation::judge(const Eigen::VectorXd& x, double limit) const {
  std::vector<checkers::finding> findings{
      {"max_relative_error", checkers::max_relative_error(x, reference_), limit,
       "a sweep rounds some sixteen operations on terms of the size of max|x|, and as the iteration does not "
       "amplify, roundings of successive sweeps add up like a random walk: u (16 + 2 sqrt(sweeps))"}};
  // A grid one node wide or high has no element; its matrix is the identity and conserves nothing.
  if (kind_ == matrix::neumann && problem_->nx > 1 && problem_->ny > 1)
    findings.push_back(
        {"conservation_drift", checkers::drift(in_double(problem_->diagonals[4]), reference_, x), limit,
         "without flux through the border the sum of D x is conserved except for the rounding of matrix and "
         "f, "
         "which moves the reference's sum too, and for the rounding of the sweeps, bounded like the error"});
  return findings;
}

Eigen::VectorXd answer_of(reprise::jacobi::solver& s, precision arithmetic) {
  return arithmetic == precision::single ? in_double(s.solution()) : as_vector(s.solution_in_double());
}

checkers::finding judge_sweeps(const reprise::jacobi::problem& p, const Eigen::VectorXd& before, int sweeps,
                               const Eigen::VectorXd& after, precision arithmetic) {
  return {
      "timed_work_error", checkers::max_relative_error(after, reference::jacobi::iterate(p, before, sweeps)),
      rounding_limit(sweeps, arithmetic),
      "the reference repeats sweeps of the timed run from the solver's own state: rounding of these sweeps"};
}

std::shared_ptr<const expectation> expect(matrix kind, int nx, int ny, int sweeps) {
  struct entry {
    matrix kind;
    int nx, ny, sweeps;
    std::shared_ptr<const expectation> value;
  };
  static std::deque<entry> kept;
  for (const entry& e : kept)
    if (e.kind == kind && e.nx == nx && e.ny == ny && e.sweeps == sweeps) return e.value;
  std::shared_ptr<const reprise::jacobi::problem> p;
  for (const entry& e : kept)
    if (e.kind == kind && e.nx == nx && e.ny == ny)
      p = {e.value, &e.value->problem()};  // shares the problem with another expectation
  if (p == nullptr)
    p = std::make_shared<const reprise::jacobi::problem>(reprise::jacobi::make_problem(kind, nx, ny));
  constexpr std::size_t most_kept = 4;
  if (kept.size() == most_kept) kept.pop_front();
  kept.push_back({kind, nx, ny, sweeps, std::make_shared<const expectation>(p, kind, sweeps)});
  return kept.back().value;
}

converged_expectation::converged_expectation(int nx, int ny, precision arithmetic)
    : problem_(reprise::jacobi::make_problem(matrix::pinned, nx, ny)),
      solution_(reference::jacobi::solve(problem_)),
      one_sweep_(4 * unit_roundoff(arithmetic)) {
  // After many sweeps only the slowest mode is left, and its decay over 32 sweeps
  // gives the rate of convergence.
  constexpr int later = 512;
  constexpr int apart = 32;
  const double early = (reference::jacobi::iterate(problem_, later) - solution_).norm();
  const double late = (reference::jacobi::iterate(problem_, later + apart) - solution_).norm();
  contraction_ = std::pow(late / early, 1.0 / apart);
  sweeps_ = later + static_cast<int>(std::log(unit_roundoff(arithmetic)) / std::log(contraction_));
}

std::vector<checkers::finding> converged_expectation::judge(const std::vector<float>& x) const {
  return judge(in_double(x));
}

std::vector<checkers::finding> converged_expectation::judge(const std::vector<double>& x) const {
  return judge(as_vector(x));
}

std::vector<checkers::finding> converged_expectation::judge(const Eigen::VectorXd& x) const {
  return {
      {"backward_error",
       checkers::backward_error(reference::jacobi::matrix_of(problem_), x, in_double(problem_.f)), one_sweep_,
       "a fixed point of the rounded sweep leaves the rounding of one sweep as its residual: 4 u"},
      {"max_relative_error", checkers::max_relative_error(x, solution_), one_sweep_ / (1 - contraction_),
       "every sweep adds its rounding, 4 u, and shrinks what earlier ones added by the iteration's own "
       "rate"}};
}

}  // namespace reprise::verification::jacobi
