// SPDX-License-Identifier: MIT
// Checks what each atrium variant declares about repeated runs. `reprise_tests "[determinism]"` also runs it on GPUs.
#include "verification/tests/support/determinism.hpp"
#include "solvers/atrium/variant.hpp"
#include "verification/atrium/states.hpp"

using namespace reprise;
using namespace reprise::atrium;
using namespace reprise::verification;

TEST_CASE("runs of atrium have in common what is declared", "[determinism]") {
  require_declared<solver>("atrium", [](solver& s, const harness::target& on) {
    answer all;
    const bool is_box = is_black_box(on.variant->id);
    const auto rule = is_box ? gate_rule::plain : gate_rule::rush_larsen;
    const std::vector<scheme> schemes =
        is_box ? std::vector{scheme::black_box} : std::vector(all_runge_kutta.begin(), all_runge_kutta.end());
    for (const scheme method : schemes)
      for (const precision arithmetic : on.variant->data.precisions) try {
          const double t_end = .06;
          s.load(verification::atrium::skew_problem(either(on.device, 3, 1)), arithmetic);
          s.reset(is_box || is_pair(method) ? adaptive_steps(method, rule, 1e-5, 1e-5, t_end)
                                            : fixed_steps(method, rule, .01));
          s.advance(t_end);
          for (const cell_state& cell : s.state()) append(all, cell);
        } catch (const unavailable&) {
        }
    return all;
  });
}
