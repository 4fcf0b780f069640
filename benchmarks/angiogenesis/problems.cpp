// SPDX-License-Identifier: MIT
// Checks variants of the angiogenesis solvers on systems, runs, studies and general matrices, and what the
// code says of the problem.
#include "benchmarks/angiogenesis/problems.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <utility>

#include "benchmarks/angiogenesis/cases.hpp"
#include "verification/angiogenesis/check.hpp"
#include "verification/angiogenesis/problem_check.hpp"

namespace reprise::harness::angiogenesis_cases {
namespace {

namespace check = verification::angiogenesis;
using namespace angiogenesis;

struct scope {
  std::vector<int> nodes;
  std::vector<int> run_nodes;
  int most_steps;
  bool with_large_ones;
};

// Small sizes for the emulator, which runs a kernel's threads one after the other. With 34 nodes a lane of a warp has several
// rows, and a matrix several blocks of columns.
scope scope_of(const device& d) {
  if (d.kind == backend::emulated) return {{3, 4, 5, 6, 7, 8, 9, 34}, {4, 9}, 3, false};
  return {{3, 4, 5, 8, 17, 33, 64, 100, 129}, {4, 33}, 20, true};
}

// With 34 nodes and long steps, some member of the study falls below zero and must be clipped. From 97 nodes on a GPU
// may run a member by a warp.
std::vector<int> study_nodes(const device& d) {
  const std::vector<int> usual = scope_of(d).nodes;
  std::set<int> nodes(usual.begin(), usual.end());
  nodes.insert({34, 100, 128});
  if (d.kind != backend::emulated) nodes.insert(400);
  return {nodes.begin(), nodes.end()};
}

// What no reason excuses: every solver handles the model's own matrix on a small grid.
constexpr int small_enough = 33;

verified_case without_excuse(verified_case c, int nodes) {
  if (nodes <= small_enough && !c.unavailable.empty()) c.failure.swap(c.unavailable);
  return c;
}

// Checks both factorings and reports them as one line.
template <class Expectation>
verified_case verify_both(solver& s, const std::string& what, const Expectation& e) {
  return verified(what, [&] {
    std::vector<checkers::finding> findings;
    for (factoring when : all_factorings)
      for (checkers::finding& f : check::verify(s, e, when)) findings.push_back(std::move(f));
    return findings;
  });
}

// More nodes than kernels for moderate sizes take, where a solve is cheap: where its work does not grow as the cube.
constexpr int many_nodes = 420;
bool is_structured(solver& s) {
  try {
    const problem p = make_problem(slow_parameters(), taxis::nodal, start::step, small_enough, 1e-3);
    s.load(implicit_matrix(p), factoring::every_solve);
  } catch (const std::exception&) {
    return false;  // what cannot be loaded is reported where it is verified
  }
  const double unknowns = fields * small_enough;
  return s.per_solve().flops < unknowns * unknowns;
}

void verify_systems(solver& s, const std::vector<int>& nodes, std::vector<verified_case>& results) {
  for (int m : nodes)
    for (const auto& [name, with] : {std::pair{"S1", slow_parameters()}, {"S2", fast_parameters()}})
      for (double dt : {1e-3, .1}) {
        const problem p = make_problem(with, taxis::nodal, start::step, m, dt);
        results.push_back(without_excuse(
            verify_both(s, fmt::format("{}, {} nodes, dt {:g}", name, m, dt), check::system_expectation(p)),
            m));
      }
}

// Runs whose first state has negative values, which are clipped, in each field and at each end.
void verify_rough(solver& s, const scope& in, std::vector<verified_case>& results) {
  constexpr int steps = 3;
  for (int m : in.run_nodes)
    for (taxis reading : all_readings) {
      problem p = empty_problem(slow_parameters(), reading, m, 1e-3);
      p.u0 = check::rough_state(m);
      results.push_back(without_excuse(
          verify_both(s,
                      fmt::format("{} taxis, rough start, {} nodes, {} steps", to_string(reading), m, steps),
                      check::run_expectation(p, steps)),
          m));
    }
}

// What the code says of the problem, whichever solver is asked.
void verify_problem(std::vector<verified_case>& results) {
  for (const check::problem_check& c : check::problem_checks()) results.push_back(verified(c.name, c.judge));
  results.push_back(verified("defaults", [] {
    const choice usual = choice_of({});
    return check::judge_defaults(usual.parameters, usual.dt);
  }));
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
  verify_rough(s, in, results);
  if (!in.with_large_ones) return;
  for (const named_case& c : {default_case(), stress_case(), smooth_case()}) {
    const int steps = std::min(c.steps, in.most_steps);
    results.push_back(verify_both(s, fmt::format("case {}, {} steps", c.name, steps),
                                  check::run_expectation(c.problem, steps)));
  }
}

void verify_general(solver& s, const scope& in, std::vector<verified_case>& results) {
  for (const auto& g : check::general_matrices(in.with_large_ones))
    results.push_back(verify_both(s, g.name, check::system_expectation(g.a)));
  for (const auto& r : check::refused_matrices()) results.push_back(verify_both(s, r.name, r));
}

std::vector<verified_case> verify_study(study_runner& s, const std::vector<int>& nodes) {
  std::vector<verified_case> results;
  for (int m : nodes)
    for (taxis reading : all_readings)
      for (const auto& [from, with] :
           {std::pair{start::step, slow_parameters()}, {start::smooth, fast_parameters()}})
        for (double dt : {1e-3, .1}) {
          const problem p = make_problem(with, reading, from, m, dt);
          study several = spread_study(2, m, 4);
          several.members.push_back(with);
          several.reading = reading;
          several.dt = dt;
          several.u0 = p.u0;
          results.push_back(verified(
              fmt::format("{} members, {} taxis, {} start, {} nodes, dt {:g}", several.members.size(),
                          to_string(reading), from == start::step ? "step" : "smooth", m, dt),
              [&] { return check::verify(s, check::study_expectation(several)); }));
        }
  for (int m : nodes)
    for (taxis reading : all_readings) {
      study several = spread_study(3, m, 2);
      several.reading = reading;
      several.u0 = check::rough_state(m);
      results.push_back(verified(fmt::format("{} members, {} taxis, rough start, {} nodes",
                                             several.members.size(), to_string(reading), m),
                                 [&] { return check::verify(s, check::study_expectation(several)); }));
    }
  return results;
}

}  // namespace

std::vector<verified_case> verify_variant(const variant& v, const device& d,
                                          std::span<const grid_size> sizes) {
  if (const auto* studies = dynamic_cast<const variant_of<study_runner>*>(&v)) {
    std::vector<verified_case> results = verify_study(*studies->make(d), nodes_of(sizes, study_nodes(d)));
    if (sizes.empty()) verify_problem(results);
    return results;
  }
  const auto s = dynamic_cast<const variant_of<solver>&>(v).make(d);
  std::vector<verified_case> results;
  const scope in = scope_of(d);
  verify_systems(*s, nodes_of(sizes, in.nodes), results);
  if (sizes.empty() && is_structured(*s)) verify_systems(*s, {many_nodes}, results);
  if (!sizes.empty()) return results;
  verify_problem(results);
  verify_runs(*s, in, results);
  verify_general(*s, in, results);
  return results;
}

std::vector<int> nodes_of(std::span<const grid_size> asked, std::vector<int> own) {
  if (asked.empty()) return own;
  own.clear();
  for (const grid_size& size : asked) own.push_back(size.width);
  return own;
}

}  // namespace reprise::harness::angiogenesis_cases
