// SPDX-License-Identifier: MIT
// Judges every entry of the problem, also those outside the grid, which must be zero.
#include "verification/jacobi/problem_check.hpp"

#include <cmath>
#include <string>

#include "reference/jacobi/stated.hpp"
#include "verification/checkers/maximum.hpp"
#include "verification/checkers/rounding.hpp"

namespace reprise::verification::jacobi {
namespace {

using checkers::finding;
using checkers::not_a_number;
using checkers::raise;
using reprise::jacobi::problem;
namespace ref = reference::jacobi;

constexpr double rounding = checkers::unit_roundoff(precision::single);

// The largest difference, relative to the largest stated value; absolute if all of them are zero.
double difference(const std::vector<float>& own, const Eigen::VectorXd& stated) {
  double most = own.size() == static_cast<std::size_t>(stated.size()) ? 0 : not_a_number;
  for (std::size_t i = 0; i < own.size() && !std::isnan(most); ++i)
    raise(most, std::abs(static_cast<double>(own[i]) - stated[static_cast<Eigen::Index>(i)]));
  const double scale = checkers::largest_magnitude(stated);
  return scale > 0 ? most / scale : most;
}

double matrix_difference(const problem& p, const ref::sparse& stated) {
  double most = 0;
  double scale = 0;
  for (int iy = 0; iy < p.ny; ++iy)
    for (int ix = 0; ix < p.nx; ++ix)
      for (int k = 0; k < 9; ++k) {
        const int jx = ix + k % 3 - 1;
        const int jy = iy + k / 3 - 1;
        const bool exists = jx >= 0 && jx < p.nx && jy >= 0 && jy < p.ny;
        const int i = ix + p.nx * iy;
        const double entry = exists ? stated.coeff(i, jx + p.nx * jy) : 0;
        const float own = p.diagonals[static_cast<std::size_t>(k)][static_cast<std::size_t>(i)];
        raise(most, std::abs(static_cast<double>(own) - entry));
        raise(scale, std::abs(entry));
      }
  return most / scale;
}

}  // namespace

std::vector<finding> judge_problem(const problem& p, reprise::jacobi::matrix kind) {
  const ref::stated_problem stated = ref::state(kind, p.nx, p.ny);
  const std::string once = "values are rounded to single precision once";
  return {{"matrix_error", matrix_difference(p, stated.matrix), 2 * rounding, once},
          {"right_side_error", difference(p.f, stated.f), 4 * rounding,
           "rounded before and after the mean is subtracted, and the mean of rounded values"},
          {"first_iterate_error", difference(p.x0, stated.x0), 2 * rounding, once},
          {"weight_error", std::abs(static_cast<double>(p.omega) / stated.omega - 1), 2 * rounding, once}};
}

}  // namespace reprise::verification::jacobi
