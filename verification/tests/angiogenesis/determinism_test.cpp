// SPDX-License-Identifier: MIT
// Checks what each angiogenesis variant declares about repeated runs. `reprise_tests "[determinism]"` also runs it on GPUs.
#include <catch2/catch_test_macros.hpp>

#include "solvers/angiogenesis/study.hpp"
#include "solvers/angiogenesis/variant.hpp"
#include "verification/tests/support/determinism.hpp"

namespace reprise::angiogenesis {

using verification::answer;
using verification::append;
using verification::either;

// Found by its argument, so it is in the solver's namespace.
static answer answer_of(solver& s, const harness::target& on) {
  answer all;
  const problem p =
      make_problem(slow_parameters(), taxis::nodal, start::step, either(on.device, 100, 18), 1e-2);
  for (const factoring when : all_factorings) {
    s.load(implicit_matrix(p), when);
    answer x(p.u0.size());
    s.solve(p.u0, x);
    append(all, x);
  }
  return all;
}

static answer answer_of(study_runner& s, const harness::target& on) {
  s.load(spread_study(either(on.device, 100, 3), 16, either(on.device, 20, 4)));
  s.run();
  return s.answer().states;
}

TEST_CASE("runs of angiogenesis have in common what is declared", "[determinism]") {
  verification::require_declared_of<solver, study_runner>("angiogenesis");
}

}  // namespace reprise::angiogenesis
