// SPDX-License-Identifier: MIT
// Shared parts of the curvature reference: a surface as an array over the grid, and zeta at a point.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "solvers/curvature/problem.hpp"

namespace reprise::reference::curvature {

// With fewer nodes than this, starting threads costs more than it saves.
constexpr std::size_t worth_threads = 1 << 16;

// A view of the surface in which element (i, j) is node (i, j). Throws
// std::invalid_argument if the length is wrong.
template <class Surface>
auto on_grid(const reprise::curvature::problem& p, Surface& u) {
  using grid = std::conditional_t<std::is_const_v<std::remove_pointer_t<decltype(u.data())>>,
                                  const Eigen::ArrayXXd, Eigen::ArrayXXd>;
  if (static_cast<std::size_t>(u.size()) != p.nodes())
    throw std::invalid_argument("a surface of " + std::to_string(u.size()) + " values on a grid of " +
                                std::to_string(p.nodes()) + " nodes");
  return Eigen::Map<grid>(u.data(), p.nodes_x(), p.nodes_y());
}

double exact_at(double x, double y, double t);

}  // namespace reprise::reference::curvature
