// SPDX-License-Identifier: MIT
// The jacobi problem as plain data: a matrix of nine diagonals, a right-hand side,
// a first iterate and a weight.
//
// The grid has nx (width, the fast index) by ny nodes, and node (ix, iy) has the number i = ix + nx*iy.
// Diagonal k = (dy+1)*3 + (dx+1) couples a node with its neighbour at offset dx + nx*dy; k = 4 is the
// main diagonal. A diagonal is zero where the neighbour lies outside the grid, so that one-dimensional
// storage does not wrap round.
//
// One sweep:  x' = (1-w) x + w (f - sum over k != 4 of d_k x_k) / d_4
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace reprise::jacobi {

struct problem {
  int nx{};
  int ny{};
  float omega{};
  std::array<std::vector<float>, 9> diagonals;
  std::vector<float> f;
  std::vector<float> x0;

  int nodes() const { return nx * ny; }
};

// neumann      bilinear elements, no flux through the border: singular; a sweep conserves 1^T D x
// pinned       conductivity that varies between elements, node 0 held at zero: a unique solution
// unsymmetric  different values on each diagonal: reveals diagonals that are swapped or transposed
enum class matrix { neumann, pinned, unsymmetric };
constexpr std::array<matrix, 3> all_matrices{matrix::neumann, matrix::pinned, matrix::unsymmetric};
std::string_view to_string(matrix kind);

// Throws bad_input if the size is not positive or an int cannot count its nodes.
problem make_problem(matrix kind, int nx, int ny);

// Offset of diagonal k's neighbour, as (dx, dy).
constexpr int dx(int k) {
  return k % 3 - 1;
}
constexpr int dy(int k) {
  return k / 3 - 1;
}

}  // namespace reprise::jacobi
