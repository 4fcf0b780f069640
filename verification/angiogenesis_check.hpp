// SPDX-License-Identifier: MIT
// What a right angiogenesis answer is. System by system: the solution and its residual against one in long
// double, for the step's matrix and for general ones that need every pivot. Run by run: the state after some
// steps against the paper's steps in long double. And what must be refused, with the column named.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <string>
#include <vector>

#include "reference/angiogenesis/reference.hpp"
#include "solvers/angiogenesis/imex.hpp"
#include "solvers/angiogenesis/study.hpp"
#include "solvers/angiogenesis/variant.hpp"
#include "verification/checkers/finding.hpp"

namespace reprise::verification::angiogenesis {

reprise::angiogenesis::matrix from_dense(const Eigen::MatrixXd& a);

// A matrix and right-hand sides that differ, with their solutions.
class system_expectation {
 public:
  explicit system_expectation(const reprise::angiogenesis::problem& p);
  explicit system_expectation(const Eigen::MatrixXd& a);

  const reprise::angiogenesis::matrix& a() const { return a_; }
  const std::vector<Eigen::VectorXd>& right_sides() const { return right_sides_; }
  // `tolerance` is that of an iterative solver.
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
  double growth_;  // of a disturbance of the initial state over the run
};

// Every member of a study as a run of its own.
class study_expectation {
 public:
  explicit study_expectation(const reprise::angiogenesis::study& s);

  const reprise::angiogenesis::study& what() const { return study_; }
  std::vector<checkers::finding> judge(const reprise::angiogenesis::study_answer& answer) const;

 private:
  reprise::angiogenesis::study study_;
  std::vector<run_expectation> members_;
};

// Matrices for which the pivots decide, by name.
struct general_matrix {
  std::string name;
  Eigen::MatrixXd a;
};
std::vector<general_matrix> general_matrices(bool with_large_ones);

// Matrices that nobody can solve, and the column where that shows.
struct refused_matrix {
  std::string name;
  reprise::angiogenesis::matrix a;
  int column;
};
std::vector<refused_matrix> refused_matrices();

// Each loads the solver and judges; the last says whether it refused, and which column it named.
std::vector<checkers::finding> verify(reprise::angiogenesis::solver& s, const system_expectation& e,
                                      reprise::angiogenesis::factoring when);
std::vector<checkers::finding> verify(reprise::angiogenesis::solver& s, const run_expectation& e,
                                      reprise::angiogenesis::factoring when);
std::vector<checkers::finding> verify(reprise::angiogenesis::solver& s, const refused_matrix& r,
                                      reprise::angiogenesis::factoring when);
std::vector<checkers::finding> verify(reprise::angiogenesis::study_runner& s, const study_expectation& e);

// Of a large study, another's answer member by member, and how far they may be apart.
std::vector<checkers::finding> compare(const reprise::angiogenesis::study& s,
                                       const reprise::angiogenesis::study_answer& answer,
                                       const reprise::angiogenesis::study_answer& other);

}  // namespace reprise::verification::angiogenesis
