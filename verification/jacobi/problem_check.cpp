// SPDX-License-Identifier: MIT
// States the test problems again. The entries of bilinear elements are written as products of linear ones:
//
//   a(i, j) = sum over the common elements of sx K(x) M(y) + sy M(x) K(y),  K = [1 -1; -1 1],  M = [2 1; 1 2] / 6.
#include "verification/jacobi/problem_check.hpp"

#include <cmath>
#include <cstdlib>

#include "verification/checkers/maximum.hpp"

namespace reprise::verification::jacobi {
namespace {

using reprise::jacobi::matrix;
using reprise::jacobi::problem;

struct conductivity {
  double x, y;
};

conductivity conductivity_of(matrix kind, int ex, int ey) {
  if (kind == matrix::neumann) return {1, 0.3};
  return {1 + 0.5 * std::sin(0.4 * ex + 0.2 * ey), 0.4 + 0.2 * std::cos(0.3 * ex - 0.1 * ey)};
}

double stiffness(int distance) {
  return distance == 0 ? 1 : -1;
}

double mass(int distance) {
  return distance == 0 ? 1. / 3 : 1. / 6;
}

bool contains(const problem& p, int ix, int iy) {
  return ix >= 0 && ix < p.nx && iy >= 0 && iy < p.ny;
}

// The entry of two nodes that are at most one apart in each direction.
double of_elements(const problem& p, matrix kind, int ix, int iy, int jx, int jy) {
  double sum = 0;
  for (int ex = ix - 1; ex <= ix; ++ex)
    for (int ey = iy - 1; ey <= iy; ++ey) {
      const bool is_common = ex >= jx - 1 && ex <= jx && ey >= jy - 1 && ey <= jy;
      if (!is_common || ex < 0 || ex + 1 >= p.nx || ey < 0 || ey + 1 >= p.ny) continue;
      const auto [sx, sy] = conductivity_of(kind, ex, ey);
      const int x = std::abs(ix - jx);
      const int y = std::abs(iy - jy);
      sum += sx * stiffness(x) * mass(y) + sy * mass(x) * stiffness(y);
    }
  return sum;
}

double unsymmetric_off_diagonal(int ix, int iy, int k) {
  return -0.01 * (5 + k) * (1 + 0.3 * std::sin(0.5 * ix + 0.9 * iy + k));
}

double unsymmetric(const problem& p, int ix, int iy, int k) {
  if (k != 4) return unsymmetric_off_diagonal(ix, iy, k);
  double diagonal = 0.1;
  for (int other = 0; other < 9; ++other)
    if (other != 4 && contains(p, ix + other % 3 - 1, iy + other / 3 - 1))
      diagonal -= unsymmetric_off_diagonal(ix, iy, other);
  return diagonal;
}

double entry(const problem& p, matrix kind, int ix, int iy, int k) {
  const int jx = ix + k % 3 - 1;
  const int jy = iy + k / 3 - 1;
  if (!contains(p, jx, jy)) return 0;
  if (kind == matrix::unsymmetric) return unsymmetric(p, ix, iy, k);
  const bool is_pinned = kind == matrix::pinned && (ix + iy == 0 || jx + jy == 0);
  if (is_pinned) return k == 4 ? 1 : 0;
  return of_elements(p, kind, ix, iy, jx, jy);
}

double source(matrix kind, int ix, int iy) {
  return kind == matrix::unsymmetric ? 1 + 0.25 * std::cos(0.2 * ix - 0.3 * iy)
                                     : std::sin(0.37 * ix + 0.11) * std::cos(0.23 * iy - 0.05);
}

// Without its mean, so that the singular problem has a solution.
double mean_source(const problem& p, matrix kind) {
  double mean = 0;
  for (int iy = 0; iy < p.ny && kind != matrix::unsymmetric; ++iy)
    for (int ix = 0; ix < p.nx; ++ix) mean += source(kind, ix, iy) / p.nodes();
  return mean;
}

}  // namespace

std::vector<checkers::finding> judge_problem(const problem& p, matrix kind) {
  const double mean = mean_source(p, kind);
  double worst = std::abs(p.omega - (kind == matrix::unsymmetric ? 0.8 : 2. / 3));
  for (int iy = 0; iy < p.ny; ++iy)
    for (int ix = 0; ix < p.nx; ++ix) {
      const auto i = static_cast<std::size_t>(ix + p.nx * iy);
      const bool is_pinned = kind == matrix::pinned && i == 0;
      for (int k = 0; k < 9; ++k)
        worst = checkers::larger(
            worst, std::abs(p.diagonals[static_cast<std::size_t>(k)][i] - entry(p, kind, ix, iy, k)));
      const double f = is_pinned ? 0 : source(kind, ix, iy) - mean;
      const double x0 = is_pinned ? 0 : 0.1 * std::sin(0.3 * ix + 0.7 * iy);
      worst = checkers::larger(worst, std::abs(p.f[i] - f));
      worst = checkers::larger(worst, std::abs(p.x0[i] - x0));
    }
  return {{"problem_error", worst, 1e-6, "entries of at most 5 are rounded to single precision"}};
}

}  // namespace reprise::verification::jacobi
