// SPDX-License-Identifier: MIT
// Tests every atrium variant against the reference.
#include "verification/tests/support/every_problem.hpp"

namespace {

// The sphere on chip supports one method in one precision on two spheres; a black box has one method.
int fewest_problems(std::string_view id) {
  if (id.starts_with("atrium/cvode_")) return 3;
  return id == "atrium/cuda_tuned" ? 2 : 40;
}

}  // namespace

TEST_CASE("every atrium variant that can run here solves every problem", "[standard]") {
  reprise::verification::solve_every_problem("atrium", fewest_problems);
}
