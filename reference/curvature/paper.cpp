// SPDX-License-Identifier: MIT
// The literals of the paper's problems. reference/published/assumptions.md has the reasons for those that the
// paper leaves out.
#include "reference/curvature/paper.hpp"

#include <algorithm>
#include <cmath>

#include "reference/curvature/surface.hpp"

namespace reprise::reference::curvature {

using reprise::curvature::boundary;
using reprise::curvature::flow;

// Tables 2 to 7 need [-4, 4]^2, which the fit of n, r and sigma in (30) found; (35) is given on (-2, 2)^2.
double half_width(const problem& p) {
  return p.boundary == boundary::manufactured ? 4.0 : 2.0;
}

double spacing_x(const problem& p) {
  return 2 * half_width(p) / p.cells_x;
}

double spacing_y(const problem& p) {
  return 2 * half_width(p) / p.cells_y;
}

double x_at(const problem& p, int i) {
  return half_width(p) * (2.0 * i - p.cells_x) / p.cells_x;
}

double y_at(const problem& p, int j) {
  return half_width(p) * (2.0 * j - p.cells_y) / p.cells_y;
}

std::vector<double> initial_surface(const problem& p, start from) {
  const auto value = [&](double x, double y) {
    if (p.boundary == boundary::manufactured) return exact_at(x, y, 0);                        // (30)
    if (from == start::evolution) return std::sin(9.42477796076937971539 * std::hypot(x, y));  // (35), 3 pi
    return 0.6 * std::sin(1.3 * x + 0.2) * std::cos(0.7 * y - 0.4) + 0.15 * x - 0.1 * y * y;
  };
  // Under Neumann conditions a border node begins with the value of its inner neighbour, (19), (20).
  const bool is_copied = p.boundary == boundary::neumann;
  const auto source = [&](int k, int cells) { return is_copied ? std::clamp(k, 1, cells - 1) : k; };
  std::vector<double> u;
  for (int j = 0; j <= p.cells_y; ++j)
    for (int i = 0; i <= p.cells_x; ++i)
      u.push_back(value(x_at(p, source(i, p.cells_x)), y_at(p, source(j, p.cells_y))));
  return u;
}

// -3.5483 is where Merson's polynomial 1 + z + z^2/2 + z^3/6 + z^4/24 + z^5/144 leaves the unit interval. The
// scheme's largest eigenvalue is 4/h1^2 + 4/h2^2 for mean-curvature flow, and its square for Willmore flow.
double stable_step(const problem& p) {
  const double eigenvalue = 4 / std::pow(spacing_x(p), 2) + 4 / std::pow(spacing_y(p), 2);
  return 3.5483 / (p.flow == flow::willmore ? eigenvalue * eigenvalue : eigenvalue);
}

std::vector<double> table_times() {
  return {0.005, 0.01, 0.015, 0.02, 0.025, 0.03, 0.035, 0.04, 0.045, 0.05,
          0.055, 0.06, 0.065, 0.07, 0.075, 0.08, 0.085, 0.09, 0.095, 0.1};
}

std::vector<double> figure_times(flow motion) {
  if (motion == flow::mean_curvature) return {0.025, 0.1, 0.5};  // Fig 1
  return {0.01, 0.025, 0.1};                                     // Fig 2
}

}  // namespace reprise::reference::curvature
