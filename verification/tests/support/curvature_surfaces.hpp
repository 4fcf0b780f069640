// SPDX-License-Identifier: MIT
// What the curvature tests share: surfaces by node and from functions, their differences, and all settings.
#pragma once

#include <numbers>

#include "reference/curvature/manufactured.hpp"
#include "reference/curvature/semi_discrete.hpp"
#include "verification/curvature/check.hpp"
#include "verification/tests/support/every_variant.hpp"

namespace reprise::curvature::tests {

using namespace reprise;
using namespace reprise::curvature;
namespace check = verification::curvature;
namespace ref = reference::curvature;
using surface = std::vector<double>;

inline std::size_t node(const problem& p, int i, int j) {
  return static_cast<std::size_t>(j) * static_cast<std::size_t>(p.nodes_x()) + static_cast<std::size_t>(i);
}

inline surface sampled(const problem& p, const std::function<double(double, double)>& f) {
  surface u(p.nodes());
  for (int j = 0; j < p.nodes_y(); ++j)
    for (int i = 0; i < p.nodes_x(); ++i) u[node(p, i, j)] = f(p.x(i), p.y(j));
  return u;
}

// The larger value, where NaN is larger than any number.
inline double larger(double a, double b) {
  return std::isnan(a) || a >= b ? a : b;
}

inline double largest_difference(const surface& a, const surface& b) {
  double largest = 0;
  for (std::size_t k = 0; k < a.size(); ++k) largest = larger(largest, std::abs(a.at(k) - b.at(k)));
  return largest;
}

// Loads the problem. Returns false if it does not fit the variant.
inline bool is_loaded(solver& s, const problem& p, precision arithmetic) {
  try {
    s.load(p, arithmetic);
  } catch (const unavailable&) {
    return false;
  }
  return true;
}

// Calls test(flow, boundary) for each pair of them.
template <class Test>
void for_every_setting(Test test) {
  for (flow motion : all_flows)
    for (boundary at_border : all_boundaries) {
      INFO(to_string(motion) << ", " << to_string(at_border));
      test(motion, at_border);
    }
}

// A grid with Neumann borders and no forcing, whose initial surface is the eigenvector cos(pi (i - 1/2)/n), i
// = 1 ... n, scaled down so far that both flows are linear.
struct linear_mode {
  problem p;
  double eigenvalue{};
};

inline linear_mode make_mode(flow motion, int wave) {
  linear_mode m{.p = skew_problem(motion, boundary::neumann, 20, 13)};
  const int inner = m.p.cells_x - 1;
  const double pi = std::numbers::pi;
  for (int j = 0; j < m.p.nodes_y(); ++j)
    for (int i = 1; i <= inner; ++i) m.p.u0[node(m.p, i, j)] = 1e-7 * std::cos(pi * wave * (i - .5) / inner);
  ref::impose_border(m.p, 0, m.p.u0);
  const double s = 2 * std::sin(pi * wave / (2 * inner)) / m.p.h_x();
  m.eigenvalue = motion == flow::mean_curvature ? -s * s : -s * s * s * s;
  return m;
}

// Errors that the paper prints, in three norms, with the cells per side.
struct printed_row {
  int cells;
  double l1, l2, linf;
};

inline const std::vector<printed_row> mean_curvature_rows{{15, 7.1e-3, 9.0e-3, 4.3e-2},
                                                          {32, 1.5e-3, 1.9e-3, 8.5e-3},
                                                          {64, 3.9e-4, 4.9e-4, 2.4e-3},
                                                          {128, 9.8e-5, 1.2e-4, 6.1e-4}};
inline const std::vector<printed_row> willmore_rows{{15, 1.4e-1, 2.5e-1, 1.3}, {32, 8.1e-2, 1.5e-1, 7.0e-1}};

inline void check_digits(const ref::norms& found, const printed_row& row) {
  INFO(row.cells << " cells");
  for (const auto& [value, printed] :
       {std::pair{found.l1, row.l1}, {found.l2, row.l2}, {found.linf, row.linf}}) {
    const double unit = std::pow(10, std::floor(std::log10(printed)) - 1);
    CHECK_THAT(value, WithinAbs(printed, unit / 2));
  }
}

}  // namespace reprise::curvature::tests
