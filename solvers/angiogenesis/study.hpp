// SPDX-License-Identifier: MIT
// A study of parameters, and the interface of what runs one: the same grid, step and initial state under many
// sets of parameters, each a run of the paper's scheme of its own. A unit of work is a step of a member at a
// node. Place: section 6, which names such studies as what the paper is for.
#pragma once

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "solvers/angiogenesis/problem.hpp"
#include "solvers/common/error.hpp"
#include "solvers/common/registry.hpp"
#include "solvers/common/stopwatch.hpp"

namespace reprise::angiogenesis {

struct study {
  std::vector<parameters> members;
  taxis reading{};
  int nodes{};
  double dt{};
  int steps{};
  std::vector<double> u0;  // C, P, I, F

  std::size_t unknowns() const { return fields * static_cast<std::size_t>(nodes); }
};

// One member as a problem of its own; throws bad_input for parameters, a grid or a step that make no sense.
inline problem member_of(const study& s, std::size_t member) {
  problem p = empty_problem(s.members[member], s.reading, s.nodes, s.dt);
  p.u0 = s.u0;
  return p;
}

inline void require_sense(const study& s) {
  if (s.members.empty()) throw bad_input("a study has no members: give at least one set of parameters");
  if (s.steps < 0) throw bad_input("a study of " + std::to_string(s.steps) + " steps: give 0 or more");
  for (std::size_t k = 0; k < s.members.size(); ++k) {
    try {
      empty_problem(s.members[k], s.reading, s.nodes, s.dt);
    } catch (const bad_input& flaw) {
      throw bad_input("member " + std::to_string(k) + " of the study: " + flaw.what());
    }
  }
  if (s.u0.size() != s.unknowns())
    throw bad_input("a study's initial state has " + std::to_string(s.u0.size()) + " values: give " +
                    std::to_string(s.unknowns()));
}

// `count` sets around one, each parameter up to a fifth off, by multiples of the roots of primes,
// which leave no gaps; always the same.
inline study spread_study(int count, int nodes, int steps, const parameters& around = slow_parameters(),
                          double dt = 1e-3) {
  constexpr std::array<double, parameter_names.size()> primes{2,  3,  5,  7,  11, 13, 17,
                                                              19, 23, 29, 31, 37, 41, 43};
  const problem usual = make_problem(around, taxis::nodal, start::step, nodes, dt);
  study s{{}, usual.reading, nodes, usual.dt, steps, usual.u0};
  for (int k = 0; k < count; ++k) {
    parameters with = usual.with;
    for (std::size_t j = 0; j < primes.size(); ++j) {
      const double turn = (k + 1) * std::sqrt(primes[j]);
      with.*parameter_names[j].second *= .8 + .4 * (turn - std::floor(turn));
    }
    s.members.push_back(with);
  }
  return s;
}

struct study_answer {
  std::vector<double> states;  // of each member, C, P, I, F, after its last step
  // Fewer than the study's where the next step's values are not all finite: the state is then that before.
  std::vector<int> steps;

  friend bool operator==(const study_answer&, const study_answer&) = default;
};

class study_runner {
 public:
  virtual ~study_runner() = default;

  // Throws bad_input for a member whose parameters make no sense, before anything runs, and unavailable for
  // a grid that the variant has no room for.
  virtual void load(const study& s) = 0;
  virtual void run() = 0;  // all members, all steps, from the initial state
  virtual study_answer answer() = 0;
  virtual stopwatch& clock() = 0;
  virtual work per_unit() const = 0;
};

// Flops of a step at a node, counted in the explicit part, B U, three systems and their clipping; state and
// parameters cross the bus once.
constexpr work study_work() {
  return {.bytes_logical = sizeof(double) * (4 * 3 + 3 * 12 + 3 * 8),
          .bytes_dram = 0,
          .bytes_dram_once = sizeof(double) * fields,
          .flops = 78 + 3 * 9 + 6};
}

}  // namespace reprise::angiogenesis
