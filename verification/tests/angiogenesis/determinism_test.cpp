// SPDX-License-Identifier: MIT
// Checks what each angiogenesis variant declares about repeated runs. `reprise_tests "[determinism]"` also
// runs it on GPUs.
#include "verification/tests/support/determinism.hpp"
#include "solvers/angiogenesis/study.hpp"
#include "solvers/angiogenesis/variant.hpp"

using namespace reprise;
using namespace reprise::angiogenesis;
using namespace reprise::verification;

TEST_CASE("runs of angiogenesis have in common what is declared", "[determinism]") {
  require_declared<solver>("angiogenesis", [](solver& s, const harness::target& on) {
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
  });
  require_declared<study_runner>("angiogenesis", [](study_runner& s, const harness::target& on) {
    s.load(spread_study(either(on.device, 100, 3), 16, either(on.device, 20, 4)));
    s.run();
    return s.answer().states;
  });
}
