// SPDX-License-Identifier: MIT
// Tests that the check of the jacobi problems finds every constant that is one per cent off.
#include "verification/jacobi/problem_check.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <vector>

namespace {

using namespace reprise::jacobi;
using reprise::checkers::all_good;
using reprise::verification::jacobi::judge_problem;

}  // namespace

TEST_CASE("the jacobi problems are those that their check states") {
  for (const auto kind : all_matrices) {
    INFO(to_string(kind));
    CHECK(all_good(judge_problem(make_problem(kind, 13, 9), kind)));
    CHECK(all_good(judge_problem(make_problem(kind, 2, 2), kind)));
  }
}

TEST_CASE("a jacobi problem with a matrix, source, start or weight one per cent off is found") {
  const auto kind = GENERATE(matrix::neumann, matrix::pinned, matrix::unsymmetric);
  INFO(to_string(kind));
  auto p = make_problem(kind, 13, 9);

  SECTION("conductivity") {
    for (auto& diagonal : p.diagonals)
      for (float& value : diagonal) value *= 1.01F;
  }
  SECTION("one entry") {
    p.diagonals[5][40] *= 1.01F;
  }
  SECTION("source") {
    for (float& value : p.f) value *= 1.01F;
  }
  SECTION("start") {
    for (float& value : p.x0) value *= 1.01F;
  }
  SECTION("weight") {
    p.omega *= 1.01F;
  }

  CHECK_FALSE(all_good(judge_problem(p, kind)));
}
