// SPDX-License-Identifier: MIT
// Tests every atrium variant against the reference.
#include "verification/tests/support/every_problem.hpp"

TEST_CASE("every atrium variant that can run here solves every problem", "[standard]") {
  // The sphere on chip supports one rule for gates in one precision, the streamed one also only one method, and whole steps in
  // OpenCL one method; a black box has one method.
  reprise::verification::solve_every_problem("atrium", [](std::string_view id) {
    return id.starts_with("atrium/cvode_")   ? 3
           : id == "atrium/cuda_tuned"       ? 16
           : id == "atrium/cuda_streamed"    ? 4
           : id == "atrium/cuda_tuned_multi" ? 16
           : id == "atrium/opencl_fused"     ? 14
                                             : 40;
  });
}
