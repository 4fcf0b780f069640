// SPDX-License-Identifier: MIT
// The atrium paper's variants: on which problems each is checked.
#include <fmt/core.h>

#include "benchmarks/harness/experiment.hpp"
#include "solvers/atrium/variant.hpp"
#include "solvers/common/error.hpp"
#include "verification/atrium_check.hpp"

namespace reprise::harness {
namespace {

namespace check = verification::atrium;
using atrium::gate_rule;
using atrium::scheme;

void verify_steps(atrium::solver& s, int subdivisions, precision arithmetic,
                  std::vector<verified_case>& results) {
  const atrium::problem p = atrium::skew_problem(subdivisions);
  for (scheme method : atrium::all_schemes)
    for (gate_rule rule : atrium::all_gate_rules)
      results.push_back(
          verified(fmt::format("{} {} {} {} cells, {} steps", to_string(method), to_string(rule),
                               to_string(arithmetic), p.cells(), check::stepwise_expectation::steps),
                   [&] {
                     s.load(p, arithmetic);
                     return check::verify(s, *check::expect_steps(subdivisions, method, rule), arithmetic);
                   }));
}

std::vector<verified_case> verify_variant(const variant& v, const device& d,
                                          std::span<const grid_size> sizes) {
  if (!sizes.empty()) throw bad_input("a sphere has no width and height: leave the size out");
  const auto s = dynamic_cast<const variant_of<atrium::solver>&>(v).make(d);
  std::vector<verified_case> results;
  for (precision arithmetic : v.data.precisions) {
    // Less than a vector or a warp, and several that are no multiples of one.
    for (int subdivisions : {0, 1}) verify_steps(*s, subdivisions, arithmetic, results);
    if (d.kind == backend::emulated) continue;
    for (int subdivisions : {2, 3}) verify_steps(*s, subdivisions, arithmetic, results);
    for (scheme pair : atrium::all_schemes)
      if (is_pair(pair))
        results.push_back(
            verified(fmt::format("{} {} adaptive, 6 ms", to_string(pair), to_string(arithmetic)),
                     [&] { return check::verify(*s, *check::expect_run(pair), arithmetic); }));
  }
  return results;
}

family make_family() {
  return {"atrium",
          "Adaptive step ODE algorithms for the 3D simulation of electric heart activity with graphics "
          "processing units",
          {},
          {},
          verify_variant};
}

const family_registration registered(make_family);

}  // namespace
}  // namespace reprise::harness
