// SPDX-License-Identifier: MIT
// Builds the three test matrices. The paper took its matrix from a bidomain solver that it does not publish,
// so these are our own. All have the sparsity of bilinear square elements for -div(diag(sx, sy) grad u), and
// two are assembled from these elements.
#include "solvers/jacobi/problem.hpp"

#include <cmath>
#include <limits>
#include <numeric>

#include "solvers/common/base/error.hpp"

namespace reprise::jacobi {
namespace {

using element = std::array<std::array<double, 4>, 4>;

// Element matrices for the local nodes (0,0), (1,0), (1,1), (0,1). The element's
// size cancels in two dimensions.
constexpr element along_x{{{2, -2, -1, 1}, {-2, 2, 1, -1}, {-1, 1, 2, -2}, {1, -1, -2, 2}}};
constexpr element along_y{{{2, 1, -1, -2}, {1, 2, -2, -1}, {-1, -2, 2, 1}, {-2, -1, 1, 2}}};
constexpr std::array<int, 4> local_x{0, 1, 1, 0};
constexpr std::array<int, 4> local_y{0, 0, 1, 1};

int node(const problem& p, int ix, int iy) {
  return ix + p.nx * iy;
}

problem empty_problem(int nx, int ny) {
  if (nx <= 0 || ny <= 0)
    throw bad_input("size " + std::to_string(nx) + "x" + std::to_string(ny) +
                    " is not positive: give a width and a height of at least 1");
  if (nx > std::numeric_limits<int>::max() / 16 / ny)
    throw bad_input("size " + std::to_string(nx) + "x" + std::to_string(ny) +
                    " has more nodes than the solvers can count: give at most 134 million");
  problem p{.nx = nx, .ny = ny, .omega = 2.0F / 3.0F, .diagonals = {}, .f = {}, .x0 = {}};
  const auto n = static_cast<std::size_t>(p.nodes());
  for (auto& diagonal : p.diagonals) diagonal.assign(n, 0.0F);
  p.f.assign(n, 0.0F);
  p.x0.assign(n, 0.0F);
  return p;
}

template <class Value>
void fill(const problem& p, std::vector<float>& field, Value value) {
  for (int iy = 0; iy < p.ny; ++iy)
    for (int ix = 0; ix < p.nx; ++ix)
      field[static_cast<std::size_t>(node(p, ix, iy))] = static_cast<float>(value(ix, iy));
}

template <class Conductivity>
void assemble(problem& p, Conductivity conductivity) {
  const auto n = static_cast<std::size_t>(p.nodes());
  std::array<std::vector<double>, 9> sums;
  for (auto& sum : sums) sum.assign(n, 0.0);
  for (int ey = 0; ey + 1 < p.ny; ++ey)
    for (int ex = 0; ex + 1 < p.nx; ++ex) {
      const auto [sx, sy] = conductivity(ex, ey);
      for (std::size_t a = 0; a < 4; ++a)
        for (std::size_t b = 0; b < 4; ++b) {
          const int k = (local_y[b] - local_y[a] + 1) * 3 + (local_x[b] - local_x[a] + 1);
          sums[static_cast<std::size_t>(k)]
              [static_cast<std::size_t>(node(p, ex + local_x[a], ey + local_y[a]))] +=
              (sx * along_x[a][b] + sy * along_y[a][b]) / 6;
        }
    }
  for (std::size_t k = 0; k < 9; ++k)
    for (std::size_t i = 0; i < n; ++i) p.diagonals[k][i] = static_cast<float>(sums[k][i]);
  // A grid that is one node wide or high has no elements. The identity keeps the
  // division by the diagonal defined.
  if (p.nx == 1 || p.ny == 1) p.diagonals[4].assign(n, 1.0F);
}

void fill_smooth_fields(problem& p) {
  fill(p, p.f, [](int ix, int iy) { return std::sin(.37 * ix + .11) * std::cos(.23 * iy - .05); });
  const double mean = std::accumulate(p.f.begin(), p.f.end(), 0.0) / p.nodes();
  for (float& value : p.f) value = static_cast<float>(value - mean);
  fill(p, p.x0, [](int ix, int iy) { return .1 * std::sin(.3 * ix + .7 * iy); });
}

void pin_first_node(problem& p) {
  for (auto& diagonal : p.diagonals) diagonal[0] = 0.0F;
  p.diagonals[4][0] = 1.0F;
  for (int k = 5; k < 9; ++k) {
    const int ix = dx(k);
    const int iy = dy(k);
    if (ix < 0 || ix >= p.nx || iy >= p.ny) continue;
    p.diagonals[static_cast<std::size_t>(8 - k)][static_cast<std::size_t>(node(p, ix, iy))] = 0.0F;
  }
  p.f[0] = 0.0F;
  p.x0[0] = 0.0F;
}

void fill_unsymmetric(problem& p) {
  std::vector<double> row_sum(static_cast<std::size_t>(p.nodes()), 0.0);
  for (int k = 0; k < 9; ++k) {
    if (k == 4) continue;
    fill(p, p.diagonals[static_cast<std::size_t>(k)], [&](int ix, int iy) {
      const bool exists = ix + dx(k) >= 0 && ix + dx(k) < p.nx && iy + dy(k) >= 0 && iy + dy(k) < p.ny;
      const double value = exists ? -((5 + k) / 100.0) * (1 + .3 * std::sin(.5 * ix + .9 * iy + k)) : 0.0;
      row_sum[static_cast<std::size_t>(node(p, ix, iy))] += std::abs(value);
      return value;
    });
  }
  fill(p, p.diagonals[4],
       [&](int ix, int iy) { return .1 + row_sum[static_cast<std::size_t>(node(p, ix, iy))]; });
  fill(p, p.f, [](int ix, int iy) { return 1 + .25 * std::cos(.2 * ix - .3 * iy); });
  p.omega = .8F;
}

}  // namespace

std::string_view to_string(matrix kind) {
  constexpr std::array<std::string_view, 3> names{"neumann", "pinned", "unsymmetric"};
  return names.at(static_cast<std::size_t>(kind));
}

problem make_problem(matrix kind, int nx, int ny) {
  problem p = empty_problem(nx, ny);
  fill_smooth_fields(p);
  switch (kind) {
    case matrix::neumann:
      assemble(p, [](int, int) { return std::pair{1.0, .3}; });
      break;
    case matrix::pinned:
      assemble(p, [](int ex, int ey) {
        return std::pair{1 + .5 * std::sin(.4 * ex + .2 * ey), .4 + .2 * std::cos(.3 * ex - .1 * ey)};
      });
      pin_first_node(p);
      break;
    case matrix::unsymmetric:
      fill_unsymmetric(p);
      break;
  }
  return p;
}

}  // namespace reprise::jacobi
