// SPDX-License-Identifier: MIT
// Tests every tissue variant against the reference.
#include "verification/tests/support/every_problem.hpp"

TEST_CASE("every tissue variant that can run here solves every problem", "[standard]") {
  reprise::verification::solve_every_problem("tissue");
}
