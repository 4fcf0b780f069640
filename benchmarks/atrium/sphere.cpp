// SPDX-License-Identifier: MIT
// Makes spheres and solves the atrium paper's reference on them.
#include "benchmarks/atrium/sphere.hpp"

#include <fmt/core.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "reference/atrium/paper.hpp"
#include "solvers/atrium/variant.hpp"
#include "solvers/common/base/error.hpp"
#include "verification/atrium/check.hpp"
#include "verification/atrium/problem_check.hpp"
#include "verification/atrium/timed_run.hpp"

namespace reprise::harness::atrium_cases {
namespace {

using atrium::solver;

// Steps of one length are so short here that every fifth of them shows the whole course.
constexpr int recorded_step = 5;

// The fastest available solver that makes these steps in double precision. (Its steps are checked against independent
// reference code, a few of this run too.)
std::unique_ptr<solver> reference_solver(const atrium::control& c) {
  for (const char* id :
       {c.is_adaptive ? "atrium/cuda_device_control" : "atrium/cuda_stages", "atrium/openmp"}) {
    const target on = targets_of(id, "*", false).front();
    if (on.variant != nullptr) return dynamic_cast<const variant_of<solver>&>(*on.variant).make(on.device);
  }
  throw unavailable("the reference needs atrium/openmp or a GPU");
}

atrium::control reference_steps(reference_kind kind, const atrium::protocol& what, bool is_short) {
  if (kind == reference_kind::papers)
    return adaptive_steps(atrium::scheme::cash_karp, atrium::gate_rule::rush_larsen, 1e-3, 1e-6, what.t_end);
  return fixed_steps(atrium::scheme::exponential_midpoint, atrium::gate_rule::rush_larsen,
                     is_short ? .0025 : .001);
}

}  // namespace

size_grammar sphere_sizes() {
  return {size_form::nothing, "a sphere has no width and height, but --set subdivisions=5"};
}

std::optional<int> asked_subdivisions(const plan_request& request) {
  const auto asked = request.setting("subdivisions");
  if (!asked) return std::nullopt;
  if (!(*asked >= 0 && *asked <= 12) || *asked != std::floor(*asked))
    throw bad_input(fmt::format("{:g} subdivisions: give a whole number from 0 to 12", *asked));
  const auto subdivisions = static_cast<int>(*asked);
  atrium::require_room(subdivisions);
  return subdivisions;
}

atrium::protocol protocol_of(const scenario& chosen) {
  atrium::protocol what = atrium::usual_protocol();
  if (chosen.is_short) {
    what.stimuli.resize(1);
    what.stimuli[0].from_share = 0;  // a smaller part of so small a sphere starts no action potential
    what.t_end = 30;
  }
  if (!chosen.t_end) return what;
  what.t_end = *chosen.t_end;
  std::erase_if(what.stimuli, [&](const atrium::stimulus& s) { return s.start >= what.t_end; });
  return what;
}

checked_sphere::checked_sphere(const scenario& chosen)
    : problem_(sphere_problem(chosen.subdivisions, protocol_of(chosen))), is_short_(chosen.is_short) {
  if (chosen.acetylcholine) problem_.cell.acetylcholine = *chosen.acetylcholine;
  namespace check = verification::atrium;
  for (const checkers::finding& f :
       check::judge_problem(problem_, chosen.acetylcholine.value_or(reference::atrium::paper::acetylcholine)))
    if (!f.good()) throw std::runtime_error("the problem is not the paper's: " + checkers::describe(f));
}

const atrium::recording& checked_sphere::reference(reference_kind kind) {
  atrium::recording& kept = references_.at(static_cast<std::size_t>(kind));
  if (!kept.t.empty()) return kept;
  atrium::control c = reference_steps(kind, problem_.protocol, is_short_);
  c.record_every = c.is_adaptive ? 1 : recorded_step;
  const auto s = reference_solver(c);
  s->load(problem_, precision::double_);
  namespace check = verification::atrium;
  const check::watched_run run = check::watch(*s, problem_, c, problem_.protocol.t_end, "reference",
                                              [&](double t_end) { return s->advance(t_end); });
  const std::string failure = check::failure_of(problem_, run.end.at);
  if (!failure.empty()) throw std::runtime_error("the reference: " + failure);
  for (const checkers::finding& f : check::judge(run, problem_, precision::double_))
    if (!f.good()) throw std::runtime_error("the reference is wrong: " + checkers::describe(f));
  kept = run.recorded;
  return kept;
}

std::shared_ptr<checked_sphere> checked_sphere_of(const scenario& chosen) {
  static std::pair<scenario, std::shared_ptr<checked_sphere>> kept;
  if (!kept.second || kept.first != chosen) kept = {chosen, std::make_shared<checked_sphere>(chosen)};
  return kept.second;
}

}  // namespace reprise::harness::atrium_cases
