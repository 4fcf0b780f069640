// SPDX-License-Identifier: MIT
// Makes spheres and solves the paper's reference on them.
#include "benchmarks/atrium_world.hpp"

#include <stdexcept>
#include <string>
#include <utility>

#include "solvers/atrium/variant.hpp"
#include "solvers/common/error.hpp"
#include "verification/atrium_check.hpp"

namespace reprise::harness::atrium_cases {
namespace {

using atrium::solver;

// The fastest that is here and has pairs in double precision. (The GPU's and the processors' are both checked
// step by step, and as whole runs on small spheres, against a code of its own.)
std::unique_ptr<solver> reference_solver() {
  for (const char* id : {"atrium/cuda_device_control", "atrium/openmp"}) {
    const target on = targets_of(id, "*", false).front();
    if (on.what != nullptr) return dynamic_cast<const variant_of<solver>&>(*on.what).make(on.where);
  }
  throw unavailable("the reference needs atrium/openmp or a GPU");
}

}  // namespace

atrium::protocol protocol_of(const setting& where) {
  atrium::protocol what = atrium::usual_protocol();
  if (where.is_short) {
    what.stimuli.resize(1);
    what.stimuli[0].from_share = 0;  // from less no action potential starts on so small a sphere
    what.t_end = 30;
  }
  if (!where.t_end) return what;
  what.t_end = *where.t_end;
  std::erase_if(what.stimuli, [&](const atrium::stimulus& s) { return s.start >= what.t_end; });
  return what;
}

world::world(const setting& where) : problem_(sphere_problem(where.subdivisions, protocol_of(where))) {
  if (where.acetylcholine) problem_.cell.acetylcholine = *where.acetylcholine;
}

const atrium::recording& world::reference() {
  if (!reference_.t.empty()) return reference_;
  const auto s = reference_solver();
  atrium::control c = adaptive_steps(atrium::scheme::cash_karp, atrium::gate_rule::rush_larsen, 1e-3, 1e-6,
                                     problem_.what.t_end);
  c.record_every = 1;
  s->load(problem_, precision::double_);
  s->reset(c);
  const std::string failure = verification::atrium::failure_of(problem_, s->advance(problem_.what.t_end));
  if (!failure.empty()) throw std::runtime_error("the reference: " + failure);
  reference_ = s->recorded();
  return reference_;
}

std::shared_ptr<world> world_of(const setting& where) {
  static std::pair<setting, std::shared_ptr<world>> kept;
  if (!kept.second || kept.first != where) kept = {where, std::make_shared<world>(where)};
  return kept.second;
}

}  // namespace reprise::harness::atrium_cases
