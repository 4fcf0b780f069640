// SPDX-License-Identifier: MIT
// Checks what each curvature variant declares about repeated runs. `reprise_tests "[determinism]"` also runs it on GPUs.
#include <catch2/catch_test_macros.hpp>

#include "solvers/curvature/variant.hpp"
#include "verification/tests/support/determinism.hpp"

namespace reprise::curvature {

using verification::answer;
using verification::append;
using verification::either;

// Found by its argument, so it is in the solver's namespace.
static answer answer_of(solver& s, const harness::target& on) {
  answer all;
  for (const flow motion : all_flows)
    for (const precision arithmetic : on.variant->data.precisions) {
      const auto p =
          skew_problem(motion, boundary::manufactured, either(on.device, 60, 13), either(on.device, 50, 10));
      s.load(p, arithmetic);
      s.reset(make_control(p, 1e-3, 1e-6));
      s.advance(1e-3);
      append(all, s.surface());
    }
  return all;
}

TEST_CASE("runs of curvature have in common what is declared", "[determinism]") {
  verification::require_declared_of<solver>("curvature");
}

}  // namespace reprise::curvature
