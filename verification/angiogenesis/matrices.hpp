// SPDX-License-Identifier: MIT
// General matrices that need every pivot, and matrices that must be refused.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "solvers/angiogenesis/matrix.hpp"

namespace reprise::verification::angiogenesis {

reprise::angiogenesis::matrix from_dense(const Eigen::MatrixXd& a);

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

}  // namespace reprise::verification::angiogenesis
