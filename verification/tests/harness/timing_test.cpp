// SPDX-License-Identifier: MIT
// Tests that the harness adds nothing to the times. Hidden, because it needs a quiet machine:
// run reprise_tests "[timing]".
#include <iostream>

#include "benchmarks/harness/measure.hpp"
#include "solvers/jacobi/variant.hpp"
#include "verification/tests/support/every_variant.hpp"

using namespace reprise;
using namespace reprise::harness;

namespace {

constexpr int sweeps = 1000;

double bare_median(const target& on, const jacobi::problem& p) {
  const auto s = verification::made<jacobi::solver>(on);
  s->load(p);
  std::vector<double> seconds;
  for (int i = 0; i < 21; ++i) {
    s->clock().start();
    s->sweep(sweeps);
    seconds.push_back(s->clock().stop());
  }
  return summarize(seconds).median;
}

}  // namespace

TEST_CASE("the harness measures the median of a bare loop", "[.timing]") {
  const auto p = jacobi::make_problem(jacobi::matrix::neumann, 1024, 1024);
  sampler engine({});
  const auto plans = verification::experiment_of("jacobi/table3").plan({preset::quick, {{1024, 1024}}});
  for (const char* const id : {"jacobi/cuda_simple", "jacobi/cuda_resident", "jacobi/openmp"})
    for (const target& on : targets_of(id, "*", false)) {
      if (on.variant == nullptr) continue;
      const case_plan& plan = *std::ranges::find(plans, id, &case_plan::variant);
      const auto measured =
          measure(plan, on, preset::quick, engine, case_row("timing", "jacobi/table3", plan, on));
      const double harness = measured.rows.front().value;
      const double bare = bare_median(on, p);
      std::cout << id << " on " << on.device.id << ": harness " << 1e3 * harness << " ms, bare loop "
                << 1e3 * bare << " ms, " << 100 * (harness / bare - 1) << " %\n";
      CHECK(std::abs(harness / bare - 1) < .03);
    }
}
