// SPDX-License-Identifier: MIT
// Checks what each jacobi variant declares about repeated runs. `reprise_tests "[determinism]"` also runs it on GPUs.
#include "verification/tests/support/determinism.hpp"
#include "solvers/jacobi/variant.hpp"

using namespace reprise;
using namespace reprise::jacobi;
using namespace reprise::verification;

TEST_CASE("runs of jacobi have in common what is declared", "[determinism]") {
  require_declared<solver>("jacobi", [](solver& s, const harness::target& on) {
    const auto p = make_problem(matrix::pinned, either(on.device, 500, 70), either(on.device, 301, 37));
    s.load(p);
    s.reset();
    s.sweep(either(on.device, 200, 10));
    const auto x = s.solution();
    return answer(x.begin(), x.end());
  });
}
