// SPDX-License-Identifier: MIT
// Checks what each tissue variant declares about repeated runs. `reprise_tests "[determinism]"` also runs it on GPUs.
#include <catch2/catch_test_macros.hpp>

#include "solvers/tissue/variant.hpp"
#include "verification/tests/support/determinism.hpp"

namespace reprise::tissue {

using verification::answer;
using verification::append;
using verification::either;

// Found by its argument, so it is in the solver's namespace.
static answer answer_of(solver& s, const harness::target& on) {
  answer all;
  for (const model m : all_models)
    for (const method how : all_methods) {
      if (!has_method(m, how)) continue;
      const auto p =
          hill_problem(m, either(on.device, 190, 40), either(on.device, 130, 25), usual_spacing(m));
      s.load(p, how, .7 * diffusive_step_limit(p, how));
      s.step(either(on.device, 21, 5));
      for (const auto& field : s.state()) append(all, field);
    }
  return all;
}

TEST_CASE("runs of tissue have in common what is declared", "[determinism][standard]") {
  verification::require_declared_of<solver>("tissue");
}

}  // namespace reprise::tissue
