// SPDX-License-Identifier: MIT
// Defines when an angiogenesis answer is right. For a linear system: its solution and residual against a
// solution in long double, for the matrix of a step and for general matrices that need every pivot. For a
// run: the state after some steps against the paper's steps in long double. For a singular matrix: an
// error that names the column.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <string>
#include <vector>

#include "reference/angiogenesis/integration.hpp"
#include "reference/angiogenesis/operators.hpp"
#include "solvers/angiogenesis/imex.hpp"
#include "solvers/angiogenesis/study.hpp"
#include "solvers/angiogenesis/variant.hpp"
#include "verification/checkers/finding.hpp"

namespace reprise::verification::angiogenesis {

reprise::angiogenesis::matrix from_dense(const Eigen::MatrixXd& a);

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

 private:
  void add_right_sides();

  reprise::angiogenesis::matrix a_;
  std::vector<Eigen::VectorXd> right_sides_;
  std::vector<Eigen::VectorXd> solutions_;
  double condition_{};
  double growth_{};
};

class run_expectation {
 public:
  run_expectation(const reprise::angiogenesis::problem& p, int steps);

  const reprise::angiogenesis::problem& what() const { return problem_; }
  int steps() const { return steps_; }
  std::vector<checkers::finding> judge(const std::vector<double>& state, double tolerance) const;

 private:
  reprise::angiogenesis::problem problem_;
  int steps_;
  Eigen::VectorXd reference_;
  double condition_;
  double growth_;  // growth of a disturbance of the initial state over the run
};

// Every member of a study, as a separate run.
class study_expectation {
 public:
  explicit study_expectation(const reprise::angiogenesis::study& s);

  const reprise::angiogenesis::study& what() const { return study_; }
  std::vector<checkers::finding> judge(const reprise::angiogenesis::study_answer& answer) const;

 private:
  reprise::angiogenesis::study study_;
  std::vector<run_expectation> members_;
};

// Named matrices for which the choice of pivots matters.
struct general_matrix {
  std::string name;
  Eigen::MatrixXd a;
};
std::vector<general_matrix> general_matrices(bool with_large_ones);

// Matrices that cannot be factorised, and the column in which this shows.
struct refused_matrix {
  std::string name;
  reprise::angiogenesis::matrix a;
  int column;
};
std::vector<refused_matrix> refused_matrices();

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
