// SPDX-License-Identifier: MIT
// States the three problems: conductivity, right-hand side, first iterate and weight.
#include "reference/jacobi/stated.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

namespace reprise::reference::jacobi {
namespace {

using reprise::jacobi::matrix;

// Gradients of the four bilinear shape functions on the unit square, with nodes (0,0), (1,0), (1,1), (0,1).
struct shape_gradients {
  std::array<double, 4> x, y;
  shape_gradients(double s, double t) : x{-(1 - t), 1 - t, t, -t}, y{-(1 - s), -s, s, 1 - s} {}
};

std::pair<double, double> conductivity(matrix kind, int ex, int ey) {
  if (kind == matrix::neumann) return {1.0, 0.3};
  return {1 + .5 * std::sin(.4 * ex + .2 * ey), .4 + .2 * std::cos(.3 * ex - .1 * ey)};
}

// Two Gauss points in each direction integrate products of bilinear gradients exactly.
Eigen::Matrix4d element_matrix(double sx, double sy) {
  const std::array<double, 2> points{.5 - .5 / std::sqrt(3.0), .5 + .5 / std::sqrt(3.0)};
  Eigen::Matrix4d k = Eigen::Matrix4d::Zero();
  for (double s : points)
    for (double t : points) {
      const shape_gradients g(s, t);
      for (int a = 0; a < 4; ++a)
        for (int b = 0; b < 4; ++b) {
          const auto ia = static_cast<std::size_t>(a);
          const auto ib = static_cast<std::size_t>(b);
          k(a, b) += .25 * (sx * g.x[ia] * g.x[ib] + sy * g.y[ia] * g.y[ib]);
        }
    }
  return k;
}

// A grid that is one node wide or high has no elements. Its matrix is the identity.
sparse integrate(matrix kind, int nx, int ny) {
  std::vector<Eigen::Triplet<double>> entries;
  const auto keep = [&](int i, int j) { return kind != matrix::pinned || (i != 0 && j != 0); };
  for (int ey = 0; ey + 1 < ny; ++ey)
    for (int ex = 0; ex + 1 < nx; ++ex) {
      const auto [sx, sy] = conductivity(kind, ex, ey);
      const Eigen::Matrix4d k = element_matrix(sx, sy);
      const std::array<int, 4> nodes{ex + nx * ey, ex + 1 + nx * ey, ex + 1 + nx * (ey + 1),
                                     ex + nx * (ey + 1)};
      for (int a = 0; a < 4; ++a)
        for (int b = 0; b < 4; ++b) {
          const int i = nodes[static_cast<std::size_t>(a)];
          const int j = nodes[static_cast<std::size_t>(b)];
          if (keep(i, j)) entries.emplace_back(i, j, k(a, b));
        }
    }
  if (kind == matrix::pinned && !entries.empty()) entries.emplace_back(0, 0, 1.0);
  if (entries.empty())
    for (int i = 0; i < nx * ny; ++i) entries.emplace_back(i, i, 1.0);
  sparse a(nx * ny, nx * ny);
  a.setFromTriplets(entries.begin(), entries.end());
  return a;
}

// Off the diagonal, (dx, dy) has the number k = 3 (dy + 1) + dx + 1.
double unsymmetric_entry(int k, int ix, int iy) {
  return -.01 * (k + 5) * (1 + .3 * std::sin(k + .5 * ix + .9 * iy));
}

sparse unsymmetric(int nx, int ny) {
  std::vector<Eigen::Triplet<double>> entries;
  for (int iy = 0; iy < ny; ++iy)
    for (int ix = 0; ix < nx; ++ix) {
      const int i = ix + nx * iy;
      double off_diagonal = 0;
      for (int jy = std::max(0, iy - 1); jy <= std::min(ny - 1, iy + 1); ++jy)
        for (int jx = std::max(0, ix - 1); jx <= std::min(nx - 1, ix + 1); ++jx) {
          if (jx == ix && jy == iy) continue;
          const double entry = unsymmetric_entry(3 * (jy - iy + 1) + jx - ix + 1, ix, iy);
          entries.emplace_back(i, jx + nx * jy, entry);
          off_diagonal += std::abs(entry);
        }
      entries.emplace_back(i, i, .1 + off_diagonal);
    }
  sparse a(nx * ny, nx * ny);
  a.setFromTriplets(entries.begin(), entries.end());
  return a;
}

template <class Value>
Eigen::VectorXd on_grid(int nx, int ny, Value value) {
  Eigen::VectorXd all(nx * ny);
  for (int iy = 0; iy < ny; ++iy)
    for (int ix = 0; ix < nx; ++ix) all[ix + nx * iy] = value(ix, iy);
  return all;
}

}  // namespace

stated_problem state(matrix kind, int nx, int ny) {
  stated_problem p;
  p.matrix = kind == matrix::unsymmetric ? unsymmetric(nx, ny) : integrate(kind, nx, ny);
  p.x0 = on_grid(nx, ny, [](int ix, int iy) { return .1 * std::sin(.7 * iy + .3 * ix); });
  p.omega = kind == matrix::unsymmetric ? .8 : 2. / 3;
  if (kind == matrix::unsymmetric) {
    p.f = on_grid(nx, ny, [](int ix, int iy) { return 1 + std::cos(.2 * ix - .3 * iy) / 4; });
    return p;
  }
  p.f = on_grid(nx, ny, [](int ix, int iy) { return std::cos(.23 * iy - .05) * std::sin(.11 + .37 * ix); });
  p.f.array() -= p.f.mean();
  if (kind == matrix::pinned) p.f[0] = p.x0[0] = 0;
  return p;
}

}  // namespace reprise::reference::jacobi
