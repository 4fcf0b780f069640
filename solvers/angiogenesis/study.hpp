// SPDX-License-Identifier: MIT
// A parameter study, and the interface of the variants that run one. The same grid, step and initial state
// are run under many sets of parameters, each a separate run of the paper's scheme. A unit of work is one
// step of one member at one node. Place: section 6, which names such studies as the purpose of the paper.
#pragma once

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "solvers/angiogenesis/problem.hpp"
#include "solvers/common/base/error.hpp"
#include "solvers/common/base/registry.hpp"
#include "solvers/common/base/stopwatch.hpp"

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

// One member as a separate problem. Throws bad_input for parameters, a grid or a step that make no sense.
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

// `count` sets of parameters around a given one. Each parameter is off by up to a fifth, by multiples of
// square roots of primes, which cover the range without gaps. The sets are the same in every call.
inline study spread_study(int count, int nodes, int steps, const parameters& around = slow_parameters(),
                          double dt = 1e-3) {
  constexpr std::array<double, parameter_names.size()> primes{2,  3,  5,  7,  11, 13, 17,
                                                              19, 23, 29, 31, 37, 41, 43};
  const problem usual = make_problem(around, taxis::nodal, start::step, nodes, dt);
  study s{{}, usual.reading, nodes, usual.dt, steps, usual.u0};
  for (int k = 0; k < count; ++k) {
    parameters with = usual.parameters;
    for (std::size_t j = 0; j < primes.size(); ++j) {
      const double turn = (k + 1) * std::sqrt(primes[j]);
      with.*parameter_names[j].second *= .8 + .4 * (turn - std::floor(turn));
    }
    s.members.push_back(with);
  }
  return s;
}

struct study_answer {
  std::vector<double> states;  // C, P, I, F of each member after its last step
  // Steps of each member. There are fewer than the study's if the next step would give a value that is not
  // finite; the state is then the last finite one.
  std::vector<int> steps;

  friend bool operator==(const study_answer&, const study_answer&) = default;
};

class study_runner {
 public:
  virtual ~study_runner() = default;

  // Throws bad_input, before anything runs, for a member whose parameters make no sense. Throws unavailable
  // if the grid is too large for the variant.
  virtual void load(const study& s) = 0;
  virtual void run() = 0;  // all members and steps, from the initial state
  virtual study_answer answer() = 0;
  virtual stopwatch& clock() = 0;
  virtual work per_unit() const = 0;
};

// Flops of a step at a node: explicit part, B U, three systems and clipping. State and
// parameters cross the memory bus once.
constexpr work study_work() {
  return {.bytes_logical = sizeof(double) * (4 * 3 + 3 * 12 + 3 * 8),
          .bytes_dram = 0,
          .bytes_dram_once = sizeof(double) * fields,
          .flops = 78 + 3 * 9 + 6};
}

}  // namespace reprise::angiogenesis
