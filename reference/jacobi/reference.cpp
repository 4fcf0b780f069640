// SPDX-License-Identifier: MIT
// The weighted Jacobi iteration, its fixed point and its matrix, in double precision with Eigen.
#include "reference/jacobi/reference.hpp"

#include <Eigen/SparseLU>
#include <algorithm>
#include <cmath>
#include <vector>

namespace reprise::reference::jacobi {
namespace {

using reprise::jacobi::dx;
using reprise::jacobi::dy;
using reprise::jacobi::problem;

Eigen::VectorXd in_double(const std::vector<float>& values) {
  return Eigen::Map<const Eigen::VectorXf>(values.data(), static_cast<Eigen::Index>(values.size()))
      .cast<double>();
}

constexpr int worth_threads = 1 << 14;  // nodes

// One row of (1-w) x + w D^-1 (f - (L+U) x) = x + w D^-1 (f - A x). Neighbours outside the grid do not exist.
void sweep_row(const problem& p, int iy, const double* x, double* next) {
  const int row = p.nx * iy;
  for (int i = row; i < row + p.nx; ++i) next[i] = p.f[static_cast<std::size_t>(i)];
  for (int k = 0; k < 9; ++k) {
    const int jy = iy + dy(k);
    if (jy < 0 || jy >= p.ny) continue;
    const int to_neighbour = dx(k) + p.nx * dy(k);
    const float* const entry = p.diagonals[static_cast<std::size_t>(k)].data();
    const int first = row + std::max(0, -dx(k));
    const int end = row + p.nx - std::max(0, dx(k));
    for (int i = first; i < end; ++i) next[i] -= static_cast<double>(entry[i]) * x[i + to_neighbour];
  }
  const float* const diagonal = p.diagonals[4].data();
  for (int i = row; i < row + p.nx; ++i)
    next[i] = x[i] + static_cast<double>(p.omega) / static_cast<double>(diagonal[i]) * next[i];
}

}  // namespace

sparse matrix_of(const problem& p) {
  sparse a(p.nodes(), p.nodes());
  a.reserve(Eigen::VectorXi::Constant(p.nodes(), 9));
  for (int iy = 0; iy < p.ny; ++iy)
    for (int ix = 0; ix < p.nx; ++ix) {
      const int i = ix + p.nx * iy;
      for (int k = 0; k < 9; ++k) {
        const int jx = ix + dx(k);
        const int jy = iy + dy(k);
        if (jx < 0 || jx >= p.nx || jy < 0 || jy >= p.ny) continue;
        a.insert(i, jx + p.nx * jy) = p.diagonals[static_cast<std::size_t>(k)][static_cast<std::size_t>(i)];
      }
    }
  a.makeCompressed();
  return a;
}

Eigen::VectorXd iterate(const problem& p, int sweeps) {
  return iterate(p, in_double(p.x0), sweeps);
}

Eigen::VectorXd iterate(const problem& p, Eigen::VectorXd x, int sweeps) {
  Eigen::VectorXd next(x.size());
  for (int s = 0; s < sweeps; ++s) {
#pragma omp parallel for if (p.nodes() > worth_threads)
    for (int iy = 0; iy < p.ny; ++iy) sweep_row(p, iy, x.data(), next.data());
    x.swap(next);
  }
  return x;
}

Eigen::VectorXd solve(const problem& p) {
  const Eigen::SparseMatrix<double> a = matrix_of(p);
  Eigen::SparseLU<Eigen::SparseMatrix<double>> lu(a);
  return lu.solve(in_double(p.f));
}

}  // namespace reprise::reference::jacobi
