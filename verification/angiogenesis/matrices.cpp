// SPDX-License-Identifier: MIT
// Builds the general matrices, singular ones and those near the limit of what is singular.
#include "verification/angiogenesis/matrices.hpp"

#include <cmath>
#include <limits>
#include <random>

#include "verification/checkers/maximum.hpp"
#include "verification/checkers/rounding.hpp"

namespace reprise::verification::angiogenesis {
namespace {

using checkers::not_a_number;
using reprise::angiogenesis::matrix;

constexpr double unit_roundoff = checkers::unit_roundoff(precision::double_);

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

// Two rows that are equal but for their last entry. The second pivot is this much.
Eigen::MatrixXd with_last_pivot(double pivot) {
  Eigen::MatrixXd a = Eigen::MatrixXd::Ones(2, 2);
  a(1, 1) += pivot;
  return a;
}

// A pivot of such a matrix must exceed n u max |a_ij|, two units of roundoff. This is twice as much.
constexpr double just_enough = 4 * unit_roundoff;

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

std::vector<general_matrix> general_matrices(bool with_large_ones) {
  std::vector<general_matrix> all{{"every row swapped, n = 9", every_row_swapped(9)},
                                  {"every row swapped, n = 34", every_row_swapped(34)},
                                  {"doubling, n = 20", doubling(20)},
                                  {"a pivot just above rounding, n = 2", with_last_pivot(just_enough)},
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
  Eigen::MatrixXd empty_at_first = random_matrix(7, 3);
  empty_at_first.col(0).setZero();
  Eigen::MatrixXd equal_rows = random_matrix(10, 3);
  equal_rows.row(7) = equal_rows.row(2);
  Eigen::MatrixXd dependent_column = random_matrix(12, 3);
  dependent_column.col(8) = dependent_column.col(1) + dependent_column.col(5);
  Eigen::MatrixXd with_nan = random_matrix(6, 3);
  with_nan(3, 2) = not_a_number;
  Eigen::MatrixXd with_infinity = random_matrix(6, 3);
  with_infinity(5, 1) = std::numeric_limits<double>::infinity();
  return {{"an empty column", from_dense(empty_column), 4},
          {"an empty first column", from_dense(empty_at_first), 0},
          {"a pivot within rounding", from_dense(with_last_pivot(just_enough / 2)), 1},
          {"two equal rows", from_dense(equal_rows), 9},
          {"a column that is the sum of two", from_dense(dependent_column), 8},
          {"an entry that is not a number", from_dense(with_nan), 2},
          {"an infinite entry", from_dense(with_infinity), 1}};
}

}  // namespace reprise::verification::angiogenesis
