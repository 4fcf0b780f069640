// SPDX-License-Identifier: MIT
// Checks answers of angiogenesis solvers.
#include "verification/angiogenesis/check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "reference/angiogenesis/linear_systems.hpp"

namespace reprise::verification::angiogenesis {
namespace {

using reprise::angiogenesis::bad_matrix;
using reprise::angiogenesis::factoring;
using reprise::angiogenesis::matrix;
using reprise::angiogenesis::problem;
using reprise::angiogenesis::solver;
namespace ref = reference::angiogenesis;

constexpr double unit_roundoff = std::numeric_limits<double>::epsilon() / 2;
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

// max |x - y| / max |y|; NaN if x contains a non-finite value or has another length.
double relative_distance(const std::vector<double>& x, const Eigen::VectorXd& y) {
  if (x.size() != static_cast<std::size_t>(y.size())) return not_a_number;
  const Eigen::Map<const Eigen::VectorXd> answer(x.data(), y.size());
  if (!answer.allFinite()) return not_a_number;
  return (answer - y).cwiseAbs().maxCoeff() / y.cwiseAbs().maxCoeff();
}

Eigen::MatrixXd random_matrix(int n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> between(-1, 1);
  Eigen::MatrixXd a(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) a(i, j) = between(random);
  return a;
}

// The largest entry of each column lies in the last remaining row, so that every column needs a row swap.
Eigen::MatrixXd every_row_swapped(int n) {
  Eigen::MatrixXd a = .01 * random_matrix(n, 5);
  for (int k = 0; k < n; ++k) a((k + 1) % n, k) += 2 + k % 3;
  return a;
}

// Wilkinson's matrix: partial pivoting swaps nothing, and the last column doubles at every step.
Eigen::MatrixXd doubling(int n) {
  Eigen::MatrixXd a = Eigen::MatrixXd::Identity(n, n);
  a.triangularView<Eigen::StrictlyLower>().setConstant(-1);
  a.col(n - 1).setOnes();
  return a;
}

// Singular values from 1 down to 1e-10.
Eigen::MatrixXd ill_conditioned(int n) {
  const auto rotated = [n](unsigned seed, Eigen::MatrixXd a) {
    const Eigen::MatrixXd directions = random_matrix(n, seed);
    for (int k = 0; k < n; ++k) {
      const Eigen::VectorXd v = directions.col(k).normalized();
      a -= 2 * v * (v.transpose() * a).eval();
    }
    return a;
  };
  Eigen::MatrixXd scaled = Eigen::MatrixXd::Zero(n, n);
  for (int k = 0; k < n; ++k) scaled(k, k) = std::pow(10, -10.0 * k / (n - 1));
  return rotated(8, rotated(7, scaled).transpose());
}

std::vector<double> as_values(const Eigen::VectorXd& v) {
  return {v.data(), v.data() + v.size()};
}

}  // namespace

matrix from_dense(const Eigen::MatrixXd& a) {
  matrix m;
  m.order = static_cast<int>(a.rows());
  for (Eigen::Index i = 0; i < a.rows(); ++i) {
    for (Eigen::Index j = 0; j < a.cols(); ++j)
      if (a(i, j) != 0) m.add(static_cast<std::size_t>(j), a(i, j));
    m.end_row();
  }
  return m;
}

system_expectation::system_expectation(const problem& p)
    : a_(reprise::angiogenesis::implicit_matrix(p)), condition_(ref::condition(p)), growth_(2) {
  add_right_sides();
  for (const auto& b : right_sides_) solutions_.push_back(ref::solve_precisely(p, b));
}

system_expectation::system_expectation(const Eigen::MatrixXd& a) : a_(from_dense(a)) {
  const ref::pivoting known = ref::examine(a);
  condition_ = known.condition;
  growth_ = std::max(1.0, known.growth);
  add_right_sides();
  for (const auto& b : right_sides_) solutions_.push_back(ref::solve_precisely(a, b));
}

void system_expectation::add_right_sides() {
  for (double phase : {.3, 1.9, 4.1}) {
    Eigen::VectorXd b(a_.order);
    for (int k = 0; k < a_.order; ++k) b(k) = 1 + .7 * std::sin(.9 * k * phase + phase);
    right_sides_.push_back(b);
  }
}

std::vector<checkers::finding> system_expectation::judge(const std::vector<std::vector<double>>& solutions,
                                                         double tolerance) const {
  double error = solutions.size() == right_sides_.size() ? 0 : not_a_number;
  double residual = error;
  for (std::size_t k = 0; k < right_sides_.size() && !std::isnan(error); ++k) {
    const double here = relative_distance(solutions[k], solutions_[k]);
    error = std::isnan(here) ? here : std::max(error, here);
    if (std::isnan(error)) break;
    residual = std::max(residual, backward_error(a_, solutions[k], as_values(right_sides_[k])));
  }
  if (std::isnan(error)) residual = error;
  const double backward = 4 * a_.order * unit_roundoff * growth_ + tolerance;
  return {{"max_relative_error", error, condition_ * backward,
           "the condition number times what the residual may be"},
          {"backward_error", residual, backward,
           "elimination with partial pivoting leaves n u times the growth of the entries, at most twice for "
           "tridiagonal blocks, and 4 for the sums' order; an iterative solver what it was told to"}};
}

run_expectation::run_expectation(const problem& p, int steps)
    : problem_(p),
      steps_(steps),
      reference_(ref::steps_precisely(p, steps).u),
      condition_(ref::condition(p)) {
  constexpr double small = 1e-7;
  problem disturbed = p;
  for (std::size_t k = 0; k < disturbed.u0.size(); ++k) disturbed.u0[k] += k % 2 == 0 ? small : 0;
  growth_ = (ref::steps_precisely(disturbed, steps).u - reference_).cwiseAbs().maxCoeff() / small;
}

std::vector<checkers::finding> run_expectation::judge(const std::vector<double>& state,
                                                      double tolerance) const {
  const double step = condition_ * (4 * problem_.unknowns() * unit_roundoff + tolerance);
  return {{"max_relative_error", relative_distance(state, reference_), steps_ * step * std::max(1.0, growth_),
           "each step adds what its system may err by, and the run multiplies it as it does a disturbance of "
           "the initial state"}};
}

study_expectation::study_expectation(const reprise::angiogenesis::study& s) : study_(s) {
  for (std::size_t k = 0; k < s.members.size(); ++k) members_.emplace_back(member_of(s, k), s.steps);
}

std::vector<checkers::finding> study_expectation::judge(
    const reprise::angiogenesis::study_answer& answer) const {
  const std::size_t n = study_.unknowns();
  double worst = answer.states.size() == n * members_.size() ? 0 : not_a_number;
  double cut_short = answer.steps.size() == members_.size() ? 0 : not_a_number;
  for (std::size_t k = 0; k < members_.size() && !std::isnan(worst) && !std::isnan(cut_short); ++k) {
    const auto begin = answer.states.begin() + static_cast<std::ptrdiff_t>(k * n);
    const checkers::finding f = members_[k].judge({begin, begin + static_cast<std::ptrdiff_t>(n)}, 0).front();
    const double share = f.value / f.limit;
    worst = std::isnan(share) ? share : std::max(worst, share);
    cut_short += answer.steps[k] == study_.steps ? 0 : 1;
  }
  return {{"worst_member_error", worst, 1, "over what that member's run may err by"},
          {"members_cut_short", cut_short, 0, "none of these blows up"}};
}

std::vector<general_matrix> general_matrices(bool with_large_ones) {
  std::vector<general_matrix> all{{"every row swapped, n = 9", every_row_swapped(9)},
                                  {"every row swapped, n = 34", every_row_swapped(34)},
                                  {"doubling, n = 20", doubling(20)},
                                  {"condition 1e10, n = 12", ill_conditioned(12)}};
  for (int n : {1, 2, 3, 16, 33}) all.push_back({"random, n = " + std::to_string(n), random_matrix(n, 1)});
  if (!with_large_ones) return all;
  for (int n : {64, 65, 130}) all.push_back({"random, n = " + std::to_string(n), random_matrix(n, 2)});
  all.push_back({"condition 1e10, n = 100", ill_conditioned(100)});
  return all;
}

std::vector<refused_matrix> refused_matrices() {
  Eigen::MatrixXd empty_column = random_matrix(11, 3);
  empty_column.col(4).setZero();
  Eigen::MatrixXd equal_rows = random_matrix(10, 3);
  equal_rows.row(7) = equal_rows.row(2);
  Eigen::MatrixXd dependent_column = random_matrix(12, 3);
  dependent_column.col(8) = dependent_column.col(1) + dependent_column.col(5);
  Eigen::MatrixXd with_nan = random_matrix(6, 3);
  with_nan(3, 2) = not_a_number;
  Eigen::MatrixXd with_infinity = random_matrix(6, 3);
  with_infinity(5, 1) = std::numeric_limits<double>::infinity();
  return {{"an empty column", from_dense(empty_column), 4},
          {"two equal rows", from_dense(equal_rows), 9},
          {"a column that is the sum of two", from_dense(dependent_column), 8},
          {"an entry that is not a number", from_dense(with_nan), 2},
          {"an infinite entry", from_dense(with_infinity), 1}};
}

std::vector<checkers::finding> verify(solver& s, const system_expectation& e, factoring when) {
  s.load(e.a(), when);
  std::vector<std::vector<double>> solutions;
  for (const auto& b : e.right_sides()) {
    auto& x = solutions.emplace_back(b.size(), not_a_number);
    s.solve({b.data(), static_cast<std::size_t>(b.size())}, x);
  }
  return e.judge(solutions, s.tolerance());
}

std::vector<checkers::finding> verify(solver& s, const run_expectation& e, factoring when) {
  reprise::angiogenesis::imex run(e.what(), s, when);
  run.advance(e.steps());
  return e.judge(run.state(), s.tolerance());
}

std::vector<checkers::finding> verify(solver& s, const refused_matrix& r, factoring when) {
  double off = not_a_number;
  std::vector<double> x(r.a.size());
  try {
    s.load(r.a, when);
    s.solve(std::vector<double>(r.a.size(), 1), x);
  } catch (const bad_matrix& refusal) {
    off = std::abs(refusal.column() - r.column);
  }
  return {
      {"column_named_is_off_by", off, 0, "the column where a pivot is missing or an entry is not finite"}};
}

std::vector<checkers::finding> verify(reprise::angiogenesis::study_runner& s, const study_expectation& e) {
  s.load(e.what());
  s.run();
  return e.judge(s.answer());
}

std::vector<checkers::finding> compare(const reprise::angiogenesis::study& s,
                                       const reprise::angiogenesis::study_answer& answer,
                                       const reprise::angiogenesis::study_answer& other) {
  const std::size_t n = s.unknowns();
  const bool are_alike = answer.states.size() == other.states.size() && answer.steps == other.steps;
  double worst = are_alike ? 0 : not_a_number;
  // A bound for all members: the condition number grows with diffusion, decay and coupling,
  // and with no other parameter.
  problem widest = member_of(s, 0);
  for (std::size_t k = 0; k < s.members.size() && !std::isnan(worst); ++k) {
    const auto begin = static_cast<std::ptrdiff_t>(k * n);
    const auto end = begin + static_cast<std::ptrdiff_t>(n);
    const double here =
        relative_distance({answer.states.begin() + begin, answer.states.begin() + end},
                          Eigen::Map<const Eigen::VectorXd>(other.states.data() + begin, end - begin));
    worst = std::isnan(here) ? here : std::max(worst, here);
    for (const auto& [name, member] : reprise::angiogenesis::parameter_names)
      widest.parameters.*member = std::max(widest.parameters.*member, s.members[k].*member);
  }
  return {{"max_difference", worst,
           8 * s.steps * ref::condition(widest) * static_cast<double>(n) * unit_roundoff,
           "two runs' steps each add what their system may err by; members cut short differ where they are"}};
}

}  // namespace reprise::verification::angiogenesis
