// SPDX-License-Identifier: MIT
// Which flow, on which grid, with which boundary condition. Place: section 2, problems 2.1 and 2.2; section 5.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace reprise::curvature {

enum class flow { mean_curvature, willmore };
constexpr std::array<flow, 2> all_flows{flow::mean_curvature, flow::willmore};
constexpr std::string_view to_string(flow f) {
  return f == flow::willmore ? "willmore" : "mean_curvature";
}

// manufactured  zeta of (30) at the border, and the forcing that makes zeta the exact solution
// dirichlet     the initial values at the border, no forcing
// neumann       no slope across the border, no forcing
// With the first two, w is zero at the border of a Willmore flow.
enum class boundary { manufactured, dirichlet, neumann };
constexpr std::array<boundary, 3> all_boundaries{boundary::manufactured, boundary::dirichlet,
                                                 boundary::neumann};
constexpr std::string_view to_string(boundary b) {
  constexpr std::array<std::string_view, 3> names{"manufactured", "dirichlet", "neumann"};
  return names.at(static_cast<std::size_t>(b));
}

// Node (i, j) is at (-L + i h_x, -L + j h_y) with i = 0 ... cells_x and j = 0 ... cells_y. Values are
// stored with i running fastest.
struct grid {
  curvature::flow flow{};
  curvature::boundary boundary{};
  int cells_x{};
  int cells_y{};
  double half_width{};  // L

  int nodes_x() const { return cells_x + 1; }
  int nodes_y() const { return cells_y + 1; }
  std::size_t nodes() const {
    return static_cast<std::size_t>(nodes_x()) * static_cast<std::size_t>(nodes_y());
  }
  double h_x() const { return 2 * half_width / cells_x; }
  double h_y() const { return 2 * half_width / cells_y; }
  double x(int i) const { return -half_width + i * h_x(); }
  double y(int j) const { return -half_width + j * h_y(); }
};

}  // namespace reprise::curvature
