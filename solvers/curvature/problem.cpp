// SPDX-License-Identifier: MIT
// Builds the curvature flows' problems.
#include "solvers/curvature/problem.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "solvers/common/base/error.hpp"
#include "solvers/curvature/border.hpp"

namespace reprise::curvature {
namespace {

void require_positive(double value, const std::string& name) {
  if (!(value > 0) || std::isinf(value))
    throw bad_input(name + " is " + std::to_string(value) + ": give a positive number");
}

grid make_grid(flow motion, boundary at_border, int cells_x, int cells_y, double half_width) {
  const std::string size = std::to_string(cells_x) + "x" + std::to_string(cells_y);
  if (cells_x < 2 || cells_y < 2)
    throw bad_input("a grid of " + size + " cells has no inner node: give at least 2 cells a side");
  if (cells_x >= std::numeric_limits<int>::max() / 4 / (cells_y + 1))
    throw bad_input("a grid of " + size +
                    " cells has more nodes than the solvers can count: give at most 536 million");
  return {motion, at_border, cells_x, cells_y, half_width};
}

template <class Surface>
problem with_surface(const grid& g, Surface value) {
  problem p{g, {}};
  p.u0.reserve(p.nodes());
  for (int j = 0; j < p.nodes_y(); ++j)
    for (int i = 0; i < p.nodes_x(); ++i) p.u0.push_back(value(p.x(i), p.y(j)));
  // A Neumann condition holds from the beginning.
  if (p.boundary == boundary::neumann) mirror_border(p, p.u0.data());
  return p;
}

}  // namespace

grid manufactured_grid(flow motion, int cells_x, int cells_y) {
  return make_grid(motion, boundary::manufactured, cells_x, cells_y, 4);
}

grid evolution_grid(flow motion, int cells_x, int cells_y) {
  return make_grid(motion, boundary::neumann, cells_x, cells_y, 2);
}

problem manufactured_problem(flow motion, int cells_x, int cells_y) {
  return with_surface(manufactured_grid(motion, cells_x, cells_y),
                      [](double x, double y) { return (x - 1) * (y - 1) * std::exp(-(x * x + y * y)); });
}

problem evolution_problem(flow motion, int cells_x, int cells_y) {
  return with_surface(evolution_grid(motion, cells_x, cells_y), [](double x, double y) {
    return std::sin(3 * std::numbers::pi * std::sqrt(x * x + y * y));
  });
}

problem skew_problem(flow motion, boundary at_border, int cells_x, int cells_y) {
  if (at_border == boundary::manufactured) return manufactured_problem(motion, cells_x, cells_y);
  return with_surface(make_grid(motion, at_border, cells_x, cells_y, 2), [](double x, double y) {
    return .6 * std::sin(1.3 * x + .2) * std::cos(.7 * y - .4) + .15 * x - .1 * y * y;
  });
}

double largest_stable_step(const grid& g) {
  constexpr double limit = 3.5483;
  const double laplacian = 4 / (g.h_x() * g.h_x()) + 4 / (g.h_y() * g.h_y());
  return limit / (g.flow == flow::mean_curvature ? laplacian : laplacian * laplacian);
}

control make_control(const grid& g, double t_end, double eps) {
  require_positive(t_end, "the end time t_end");
  require_positive(eps, "the tolerance eps");
  const double stable = largest_stable_step(g);
  // Merson's method works at the limit of stability and rejects about one step in six. A run that needs ten
  // times that many attempts has gone wrong.
  constexpr double patience = 10;
  const double most = 1000 + patience * t_end / stable;
  if (most > 1e15)
    throw bad_input("t_end " + std::to_string(t_end) +
                    " would take more than 1e14 steps on this grid: give a smaller t_end or fewer cells");
  return {.eps = eps,
          .first_step = stable / 2,
          .fixed_steps = false,
          .most_attempts = static_cast<long long>(most)};
}

control fixed_steps(double tau) {
  require_positive(tau, "the step");
  return {.eps = 0, .first_step = tau, .fixed_steps = true, .most_attempts = 1'000'000'000'000};
}

}  // namespace reprise::curvature
