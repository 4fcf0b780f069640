// SPDX-License-Identifier: MIT
// The angiogenesis paper: what every variant of its system's solvers must get right.
#include <fmt/core.h>

#include "benchmarks/harness/experiment.hpp"
#include "verification/angiogenesis_check.hpp"

namespace reprise::harness {
namespace {

namespace check = verification::angiogenesis;
using namespace angiogenesis;

struct scope {
  std::vector<int> nodes;
  std::vector<int> run_nodes;
  int most_steps;
  bool with_large_ones;
};

// The emulator runs a kernel's threads one after the other.
scope scope_of(const device& d) {
  if (d.kind == backend::emulated) return {{3, 4, 5, 7, 9}, {4, 9}, 3, false};
  return {{3, 4, 5, 8, 17, 33, 64, 100, 129}, {4, 33}, 20, true};
}

// Both ways to factorise, as one line.
template <class Expectation>
verified_case verify_both(solver& s, const std::string& what, const Expectation& e) {
  return verified(what, [&] {
    std::vector<checkers::finding> findings;
    for (factoring when : all_factorings)
      for (checkers::finding& f : check::verify(s, e, when)) findings.push_back(std::move(f));
    return findings;
  });
}

void verify_systems(solver& s, const std::vector<int>& nodes, std::vector<verified_case>& results) {
  for (int m : nodes)
    for (const auto& [name, with] : {std::pair{"S1", slow_parameters()}, {"S2", fast_parameters()}})
      for (double dt : {1e-3, .1}) {
        const problem p = make_problem(with, taxis::nodal, start::step, m, dt);
        results.push_back(
            verify_both(s, fmt::format("{}, {} nodes, dt {:g}", name, m, dt), check::system_expectation(p)));
      }
}

void verify_runs(solver& s, const scope& in, std::vector<verified_case>& results) {
  for (int m : in.run_nodes)
    for (taxis reading : all_readings)
      for (const auto& [from, with] :
           {std::pair{start::step, slow_parameters()}, {start::smooth, fast_parameters()}}) {
        const problem p = make_problem(with, reading, from, m, 2e-3);
        results.push_back(
            verify_both(s,
                        fmt::format("{} taxis, {} start, {} nodes, {} steps", to_string(reading),
                                    from == start::step ? "step" : "smooth", m, in.most_steps),
                        check::run_expectation(p, in.most_steps)));
      }
  if (!in.with_large_ones) return;
  for (const named_case& c : {default_case(), stress_case(), smooth_case()}) {
    const int steps = std::min(c.steps, in.most_steps);
    results.push_back(verify_both(s, fmt::format("case {}, {} steps", c.name, steps),
                                  check::run_expectation(c.what, steps)));
  }
}

void verify_general(solver& s, const scope& in, std::vector<verified_case>& results) {
  for (const auto& g : check::general_matrices(in.with_large_ones))
    results.push_back(verify_both(s, g.name, check::system_expectation(g.a)));
  for (const auto& r : check::refused_matrices()) results.push_back(verify_both(s, r.name, r));
}

std::vector<verified_case> verify_variant(const variant& v, const device& d,
                                          std::span<const grid_size> sizes) {
  const auto s = dynamic_cast<const variant_of<solver>&>(v).make(d);
  std::vector<verified_case> results;
  scope in = scope_of(d);
  if (!sizes.empty()) {
    in.nodes.clear();
    for (const grid_size& size : sizes) in.nodes.push_back(size.width);
  }
  verify_systems(*s, in.nodes, results);
  if (!sizes.empty()) return results;
  verify_runs(*s, in, results);
  verify_general(*s, in, results);
  return results;
}

family make_family() {
  family f;
  f.word = "angiogenesis";
  f.title = "A GPU-CUDA numerical algorithm for solving a biological model";
  f.verify = verify_variant;
  return f;
}

const family_registration registered(make_family);

}  // namespace
}  // namespace reprise::harness
