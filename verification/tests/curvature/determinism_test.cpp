// SPDX-License-Identifier: MIT
// Checks what each curvature variant declares about repeated runs. `reprise_tests "[determinism]"` also runs it on GPUs.
#include "verification/tests/support/determinism.hpp"
#include "verification/tests/support/curvature_surfaces.hpp"

using namespace reprise::curvature::tests;
using namespace reprise::verification;

TEST_CASE("runs of curvature have in common what is declared", "[determinism]") {
  require_declared<solver>("curvature", [](solver& s, const harness::target& on) {
    answer all;
    for (const flow motion : all_flows)
      for (const precision arithmetic : on.variant->data.precisions) {
        const auto p = skew_problem(motion, boundary::manufactured, either(on.device, 60, 13),
                                    either(on.device, 50, 10));
        if (!is_loaded(s, p, arithmetic)) continue;
        s.reset(make_control(p, 1e-3, 1e-6));
        s.advance(1e-3);
        append(all, s.surface());
      }
    return all;
  });
}
