// SPDX-License-Identifier: MIT
// Defines when an angiogenesis answer is right. For a linear system: its solution and residual against a
// solution in long double, for the matrix of a step and for general matrices that need every pivot. For a
// run: the state after some steps against the paper's steps in long double. For a singular matrix: an
// error that names the column.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "reference/angiogenesis/integration.hpp"
#include "reference/angiogenesis/operators.hpp"
#include "solvers/angiogenesis/imex.hpp"
#include "solvers/angiogenesis/study.hpp"
#include "solvers/angiogenesis/variant.hpp"
#include "verification/angiogenesis/matrices.hpp"
#include "verification/checkers/finding.hpp"

namespace reprise::verification::angiogenesis {

// A matrix and several different right-hand sides with their solutions.
class system_expectation {
 public:
  explicit system_expectation(const reprise::angiogenesis::problem& p);
  explicit system_expectation(const Eigen::MatrixXd& a);

  const reprise::angiogenesis::matrix& a() const { return a_; }
  const std::vector<Eigen::VectorXd>& right_sides() const { return right_sides_; }
  // `tolerance` is that of an iterative solver; 0 for a direct one.
  std::vector<checkers::finding> judge(const std::vector<std::vector<double>>& solutions,
                                       double tolerance) const;
  // Judges how many rows a factorisation says it exchanged, of a matrix whose number a rule tells.
  std::vector<checkers::finding> judge_swaps(std::optional<long long> said) const;
  // The error of one answer to a right-hand side, and its residual relative to the terms that add up to it.
  double error_of(std::size_t right_side, std::span<const double> x) const;
  double residual_of(std::size_t right_side, std::span<const double> x) const;
  double error_limit(double tolerance) const { return condition_ * residual_limit(tolerance); }
  double residual_limit(double tolerance) const;

 private:
  void add_right_sides();

  reprise::angiogenesis::matrix a_;
  std::vector<Eigen::VectorXd> right_sides_;
  std::vector<Eigen::VectorXd> solutions_;
  double row_sum_{};  // the largest sum of a row's magnitudes
  double condition_{};
  double growth_{};
  std::optional<long long> swaps_;  // of partial pivoting, if a rule tells
};

// Judges answers that follow each other in timed work, one at a time.
class answers_judge {
 public:
  explicit answers_judge(const system_expectation& e) : expected_(&e) {}

  void add(std::size_t right_side, std::span<const double> x);
  // Needs at least one answer.
  std::vector<checkers::finding> findings(double tolerance) const;

 private:
  const system_expectation* expected_;
  long answers_{};
  double error_{}, residual_{};
};

class run_expectation {
 public:
  // `add` gives the sources of a manufactured solution.
  run_expectation(const reprise::angiogenesis::problem& p, int steps,
                  reference::angiogenesis::source add = {});

  const reprise::angiogenesis::problem& what() const { return problem_; }
  int steps() const { return steps_; }
  std::vector<checkers::finding> judge(const std::vector<double>& state, double tolerance) const;
  // Judges what a run says of itself: how much it clipped, and the mass that nothing explains.
  std::vector<checkers::finding> judge_monitors(const reprise::angiogenesis::imex& run,
                                                double tolerance) const;
  // Judges `count` steps of a run after its first `first` ones. The reference repeats them from `before`, the
  // solver's own state.
  checkers::finding judge_window(const std::vector<double>& before, long first, long count,
                                 const std::vector<double>& after, double tolerance) const;

 private:
  // What a system may err by.
  double of_one_step(double tolerance) const;
  double limit(double tolerance) const;

  reprise::angiogenesis::problem problem_;
  int steps_;
  reference::angiogenesis::source add_;
  reference::angiogenesis::stepped reference_;
  mutable std::unique_ptr<reference::angiogenesis::repeated_steps> repeated_;  // made when a window needs it
  double condition_;
  double growth_;  // growth of a disturbance of the initial state over the run
};

// Members of a study, as separate runs.
class study_expectation {
 public:
  explicit study_expectation(const reprise::angiogenesis::study& s);  // all members
  study_expectation(const reprise::angiogenesis::study& s, std::vector<std::size_t> chosen);

  const reprise::angiogenesis::study& what() const { return study_; }
  std::vector<checkers::finding> judge(const reprise::angiogenesis::study_answer& answer) const;
  // Judges the chosen members' last step from their states before it. `before` has the chosen members only.
  checkers::finding judge_last_step(const reprise::angiogenesis::study_answer& before,
                                    const reprise::angiogenesis::study_answer& answer) const;
  // The study of the chosen members alone.
  reprise::angiogenesis::study chosen_alone() const;

 private:
  reprise::angiogenesis::study study_;
  std::vector<std::size_t> chosen_;
  std::vector<std::unique_ptr<run_expectation>> members_;
};

// The members at both ends of the study and of each parameter's range, and some that its size draws at
// random.
std::vector<std::size_t> telling_members(const reprise::angiogenesis::study& s);

// Each loads the solver and judges its answer. The third checks that it refuses the
// matrix and names the column.
std::vector<checkers::finding> verify(reprise::angiogenesis::solver& s, const system_expectation& e,
                                      reprise::angiogenesis::factoring when);
std::vector<checkers::finding> verify(reprise::angiogenesis::solver& s, const run_expectation& e,
                                      reprise::angiogenesis::factoring when);
std::vector<checkers::finding> verify(reprise::angiogenesis::solver& s, const refused_matrix& r,
                                      reprise::angiogenesis::factoring when);
std::vector<checkers::finding> verify(reprise::angiogenesis::study_runner& s, const study_expectation& e);

// Compares two answers of a large study, member by member, with a bound for their difference.
std::vector<checkers::finding> compare(const reprise::angiogenesis::study& s,
                                       const reprise::angiogenesis::study_answer& answer,
                                       const reprise::angiogenesis::study_answer& other);

}  // namespace reprise::verification::angiogenesis
