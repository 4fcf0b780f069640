// SPDX-License-Identifier: MIT
// Checks what each jacobi variant declares about repeated runs. `reprise_tests "[determinism]"` also runs it on GPUs.
#include <catch2/catch_test_macros.hpp>

#include "solvers/jacobi/variant.hpp"
#include "verification/tests/support/determinism.hpp"

namespace reprise::jacobi {

using verification::answer;
using verification::append;
using verification::either;

// Found by its argument, so it is in the solver's namespace.
static answer answer_of(solver& s, const harness::target& on) {
  const auto e = make_problem(matrix::pinned, either(on.device, 500, 70), either(on.device, 301, 37));
  s.load(e);
  s.reset();
  s.sweep(either(on.device, 200, 10));
  answer all;
  append(all, s.solution());
  return all;
}

TEST_CASE("runs of jacobi have in common what is declared", "[determinism]") {
  verification::require_declared_of<solver>("jacobi");
}

}  // namespace reprise::jacobi
