// SPDX-License-Identifier: MIT
// Tests every tissue variant against the reference.
#include "verification/tests/support/every_problem.hpp"

TEST_CASE("every tissue variant that can run here solves every problem", "[standard]") {
  reprise::verification::solve_every_problem("tissue", [](std::string_view id) {
    return id == "tissue/cuda_streamed" ? 35 : 40;  // has Runge-Kutta alone
  });
}
