// SPDX-License-Identifier: MIT
// Tests that the harness adds nothing to the times. Hidden, because it needs a quiet machine:
// run reprise_tests "[timing]".
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <iostream>

#include "benchmarks/harness/measure.hpp"
#include "solvers/jacobi/variant.hpp"

using namespace reprise;
using namespace reprise::harness;

namespace {

constexpr int sweeps = 1000;

double bare_median(const target& on, const jacobi::problem& p) {
  const auto s = dynamic_cast<const variant_of<jacobi::solver>&>(*on.variant).make(on.device);
  s->load(p);
  std::vector<double> seconds;
  for (int i = 0; i < 21; ++i) {
    s->clock().start();
    s->sweep(sweeps);
    seconds.push_back(s->clock().stop());
  }
  return summarize(seconds).median;
}

const case_plan* plan_of(const std::vector<case_plan>& plans, const std::string& variant) {
  for (const case_plan& plan : plans)
    if (plan.variant == variant) return &plan;
  return nullptr;
}

}  // namespace

TEST_CASE("the harness's median is that of a bare loop between two marks of the device's clock",
          "[.timing]") {
  const auto p = jacobi::make_problem(jacobi::matrix::neumann, 1024, 1024);
  sampler engine({});
  for (const family& f : families())
    for (const experiment& e : f.experiments) {
      if (e.layout.id != "jacobi/table3") continue;
      const auto plans = e.plan({preset::quick, {{1024, 1024}}});
      for (const char* const id : {"jacobi/cuda_simple", "jacobi/cuda_resident", "jacobi/openmp"})
        for (const target& on : targets_of(id, "*", false)) {
          if (on.variant == nullptr) continue;
          const case_plan& plan = *plan_of(plans, id);
          const auto measured =
              measure(plan, on, preset::quick, engine, case_row("timing", e.layout.id, plan, on));
          const double harness = measured.rows.front().value;
          const double bare = bare_median(on, p);
          std::cout << id << " on " << on.device.id << ": harness " << 1e3 * harness << " ms, bare loop "
                    << 1e3 * bare << " ms, " << 100 * (harness / bare - 1) << " %\n";
          CHECK(std::abs(harness / bare - 1) < .03);
        }
    }
}
