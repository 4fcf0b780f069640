// SPDX-License-Identifier: MIT
// What the angiogenesis tests share: solvers by name, the usual problem, and verdicts on a system.
#pragma once

#include "verification/angiogenesis/check.hpp"
#include "verification/tests/support/every_variant.hpp"

namespace reprise::angiogenesis::tests {

using namespace reprise;
using namespace reprise::angiogenesis;
namespace check = verification::angiogenesis;
namespace ref = reference::angiogenesis;

template <class Solver = solver>
std::unique_ptr<Solver> made_on(const std::string& device, const std::string& name) {
  return verification::made<Solver>(harness::targets_of("angiogenesis/" + name, device, true).front());
}

inline std::unique_ptr<solver> on_host(const std::string& name) {
  return made_on("cpu", name);
}

// Calls test(solver) for every variant that can run here.
template <class Solver = solver, class Test>
void for_every_variant(Test test) {
  verification::for_every_variant<Solver>("angiogenesis", test);
}

inline problem usual_problem(int nodes, double dt = 1e-3) {
  return make_problem(slow_parameters(), taxis::nodal, start::step, nodes, dt);
}

inline bool is_green(solver& s, const Eigen::MatrixXd& a, factoring when) {
  return checkers::all_good(check::verify(s, check::system_expectation(a), when));
}

inline bool is_green(solver& s, const problem& p, factoring when) {
  return checkers::all_good(check::verify(s, check::system_expectation(p), when));
}

}  // namespace reprise::angiogenesis::tests
