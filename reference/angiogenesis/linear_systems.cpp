// SPDX-License-Identifier: MIT
// Solves the linear systems far more precisely than the solvers do, and predicts
// conditioning and row swaps of a matrix.
#include "reference/angiogenesis/linear_systems.hpp"

#include <Eigen/LU>

#include "reference/angiogenesis/tridiagonal.hpp"

namespace reprise::reference::angiogenesis {
namespace {

// max |a_ij|, which is NaN if an entry is.
template <class Values>
double largest(const Values& a) {
  return a.cwiseAbs().template maxCoeff<Eigen::PropagateNaN>();
}

double maximum_norm(const Eigen::MatrixXd& a) {
  return largest(a.cwiseAbs().rowwise().sum());
}

}  // namespace

state solve_precisely(const problem& p, const state& b) {
  return structured<long double>(p).solve(b.cast<long double>()).cast<double>();
}

state solve_precisely(const Eigen::MatrixXd& a, const state& b) {
  using precise = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  const column<long double> right = b.cast<long double>();
  return Eigen::PartialPivLU<precise>(a.cast<long double>()).solve(right).cast<double>();
}

double condition(const problem& p) {
  const sparse a = implicit_matrix(p);
  const state ones = state::Ones(a.cols());
  return largest(state(a.cwiseAbs() * ones)) * largest(solve_precisely(p, ones));
}

pivoting examine(const Eigen::MatrixXd& a) {
  const Eigen::PartialPivLU<Eigen::MatrixXd> lu(a);
  const Eigen::MatrixXd upper = lu.matrixLU().triangularView<Eigen::Upper>();
  return {.condition = maximum_norm(a) * maximum_norm(lu.inverse()), .growth = largest(upper) / largest(a)};
}

std::vector<int> swapped_columns(const problem& p) {
  const structured<double> a(p);
  std::vector<int> columns;
  for (int block = 0; block < 3; ++block)
    if (2 * a.block(block).r() > a.block(block).pivot(p.nodes - 2))
      columns.push_back(block * p.nodes + p.nodes - 2);
  return columns;
}

}  // namespace reprise::reference::angiogenesis
