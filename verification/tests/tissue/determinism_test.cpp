// SPDX-License-Identifier: MIT
// Checks what each tissue variant declares about repeated runs. `reprise_tests "[determinism]"` also runs it on GPUs.
#include "verification/tests/support/determinism.hpp"
#include "verification/tests/support/tissue_solvers.hpp"

using namespace reprise;
using namespace reprise::tissue;
using namespace reprise::verification;

TEST_CASE("runs of tissue have in common what is declared", "[determinism][standard]") {
  require_declared<solver>("tissue", [](solver& s, const harness::target& on) {
    answer all;
    for (const precision arithmetic : on.variant->data.precisions)
      for (const model m : all_models)
        for (const method scheme : all_methods) {
          if (!has_method(m, scheme)) continue;
          if (arithmetic == precision::single && scheme != method::runge_kutta) continue;
          const auto p =
              hill_problem(m, either(on.device, 190, 40), either(on.device, 130, 25), usual_spacing(m));
          const double dt = .7 * diffusive_step_limit(p, scheme);
          if (!tests::is_loaded(s, p, scheme, dt, arithmetic)) continue;
          s.step(either(on.device, 21, 5));
          for (const auto& field : s.state()) append(all, field);
        }
    return all;
  });
}
