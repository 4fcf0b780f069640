// SPDX-License-Identifier: MIT
// What many cases of the atrium paper share: a sphere with its stimuli, and the voltages of the paper's
// reference on it.
#pragma once

#include <memory>

#include "benchmarks/atrium_cases.hpp"
#include "solvers/atrium/problem.hpp"

namespace reprise::harness::atrium_cases {

// Without the stimuli that begin after the end.
atrium::protocol protocol_of(const setting& where);

class world {
 public:
  explicit world(const setting& where);

  const atrium::problem& sphere() const { return problem_; }
  // Cash-Karp with Rush-Larsen in double precision, when it is first asked for. Throws unavailable where
  // nothing is here that computes it.
  const atrium::recording& reference();

 private:
  atrium::problem problem_;
  atrium::recording reference_;
};

// Dear on fine spheres: the last one is kept.
std::shared_ptr<world> world_of(const setting& where);

}  // namespace reprise::harness::atrium_cases
