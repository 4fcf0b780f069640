// SPDX-License-Identifier: MIT
// Tests the jacobi problem against Eigen and hand-computed numbers, and every variant against its reference.
#include <Eigen/Eigenvalues>

#include "reference/jacobi/reference.hpp"
#include "solvers/jacobi/variant.hpp"
#include "verification/jacobi/problem_check.hpp"
#include "verification/tests/support/tests.hpp"

using namespace reprise;
using namespace reprise::jacobi;
namespace ref = reference::jacobi;
using verification::jacobi::judge_problem;

TEST_CASE("the interior stencil is the one of bilinear elements") {
  const auto p = make_problem(matrix::neumann, 3, 3);
  constexpr double centre = 4.0 / 3 * (1 + .3);
  constexpr double east = -2.0 / 3 + .3 / 3;
  constexpr double north = 1.0 / 3 - 2 * .3 / 3;
  constexpr double corner = -(1 + .3) / 6;
  constexpr std::array<double, 9> expected{corner, north, corner, east, centre, east, corner, north, corner};
  for (std::size_t k = 0; k < 9; ++k) CHECK_THAT(p.diagonals[k][4], WithinAbs(expected[k], 1e-7));
}

TEST_CASE("the problems are those that the reference states") {
  for (matrix kind : all_matrices)
    for (auto [nx, ny] : {std::pair{1, 1}, {1, 4}, {5, 1}, {9, 7}, {40, 31}})
      for (const auto& found : judge_problem(make_problem(kind, nx, ny), kind)) {
        CAPTURE(to_string(kind), nx, ny, checkers::describe(found));
        CHECK(found.good());
      }
}

TEST_CASE("a part of the problem that is off by a millionth is found") {
  for (matrix kind : all_matrices) {
    const auto is_found = [&](const char* metric, const auto& change) {
      problem p = make_problem(kind, 9, 7);
      change(p);
      for (const auto& found : judge_problem(p, kind))
        if (found.metric == metric && !found.good()) return true;
      return false;
    };
    constexpr float factor = 1.000001F;
    CHECK(is_found("matrix_error", [&](problem& p) { p.diagonals[4][20] *= factor; }));
    CHECK(is_found("matrix_error", [&](problem& p) { p.diagonals[0][0] = 1e-6F; }));  // outside the grid
    CHECK(is_found("right_side_error", [&](problem& p) { p.f[20] += 1e-6F; }));
    CHECK(is_found("first_iterate_error", [&](problem& p) { p.x0[20] += 1e-7F; }));
    CHECK(is_found("weight_error", [&](problem& p) { p.omega *= factor; }));
  }
}

TEST_CASE("without flux a constant is in the null space and the right-hand side sums to zero") {
  const auto p = make_problem(matrix::neumann, 12, 10);
  const Eigen::VectorXd row_sums = ref::matrix_of(p) * Eigen::VectorXd::Ones(p.nodes());
  CHECK(row_sums.cwiseAbs().maxCoeff() < 1e-6);
  double sum = 0;
  for (float value : p.f) sum += static_cast<double>(value);
  CHECK(std::abs(sum) < 1e-5);
}

TEST_CASE("a diagonal is zero where its neighbour lies outside the grid") {
  for (matrix kind : all_matrices) {
    const auto p = make_problem(kind, 6, 5);
    for (int iy = 0; iy < p.ny; ++iy)
      for (int ix = 0; ix < p.nx; ++ix)
        for (int k = 0; k < 9; ++k) {
          const int jx = ix + dx(k);
          const int jy = iy + dy(k);
          if (jx >= 0 && jx < p.nx && jy >= 0 && jy < p.ny) continue;
          CHECK(p.diagonals[static_cast<std::size_t>(k)][static_cast<std::size_t>(ix + p.nx * iy)] == 0.0F);
        }
  }
}

TEST_CASE("the weights keep every matrix's iteration from growing") {
  for (matrix kind : all_matrices) {
    const auto p = make_problem(kind, 8, 6);
    const Eigen::MatrixXd a = ref::matrix_of(p);
    const Eigen::MatrixXd iteration =
        Eigen::MatrixXd::Identity(p.nodes(), p.nodes()) -
        static_cast<double>(p.omega) * a.diagonal().cwiseInverse().asDiagonal() * a;
    CHECK(iteration.eigenvalues().cwiseAbs().maxCoeff() < 1 + 1e-6);
  }
}

TEST_CASE("the reference's iteration ends at the reference's direct solution") {
  const auto p = make_problem(matrix::pinned, 7, 6);
  const Eigen::VectorXd solution = ref::solve(p);
  CHECK((ref::iterate(p, 20000) - solution).cwiseAbs().maxCoeff() < 1e-10 * solution.cwiseAbs().maxCoeff());
}

TEST_CASE(
    "without flux the reference's iteration conserves the sum of D x but for the rounding of its data") {
  const auto p = make_problem(matrix::neumann, 37, 23);
  const auto a = ref::matrix_of(p);
  constexpr int sweeps = 100;
  constexpr double unit_roundoff = 5.96e-8;
  const Eigen::VectorXd x = ref::iterate(p, sweeps);
  double terms = (a.cwiseAbs() * x.cwiseAbs()).sum();
  for (float value : p.f) terms += std::abs(static_cast<double>(value));
  const double moved = a.diagonal().dot(x - ref::iterate(p, 0));
  CHECK(std::abs(moved) < sweeps * static_cast<double>(p.omega) * unit_roundoff * terms);
}

TEST_CASE("one sweep of one node is the formula by hand") {
  auto p = make_problem(matrix::unsymmetric, 1, 1);
  p.x0[0] = 3;
  p.f[0] = 5;
  p.diagonals[4][0] = 2;
  p.omega = .5F;
  CHECK_THAT(ref::iterate(p, 1)[0], WithinRel(.5 * 3 + .5 * 5 / 2, 1e-14));
}

TEST_CASE("sizes that cannot be are refused in one line") {
  for (const auto& [nx, ny] : {std::pair{0, 4}, {4, -1}, {1 << 30, 1 << 30}})
    CHECK_THROWS_AS(make_problem(matrix::neumann, nx, ny), bad_input);
}
