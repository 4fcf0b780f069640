// SPDX-License-Identifier: MIT
// Defines when a tissue answer is right: the state after a few steps is compared with the same method on the
// reference's own right-hand side.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "reference/tissue/reference.hpp"
#include "solvers/tissue/variant.hpp"
#include "verification/checkers/finding.hpp"

namespace reprise::verification::tissue {

class expectation {
 public:
  expectation(const reprise::tissue::problem& p, reprise::tissue::method m, double dt, long steps);

  long steps() const { return steps_; }
  // Steps per launch, or between two exchanges, of variants that combine several steps.
  long steps_at_once() const { return 4 / stages_; }
  const reference::tissue::state& answer() const { return reference_; }
  std::vector<checkers::finding> judge(const reference::tissue::state& answer, precision arithmetic) const;

 private:
  long steps_;
  int stages_;
  reference::tissue::state reference_;
};

// The last ones are kept, because they are expensive at timed sizes and shared by many variants.
std::shared_ptr<const expectation> expect_steps(const reprise::tissue::problem& p, reprise::tissue::method m,
                                                double dt, long steps);

// max |a - b| / max |b| of the worst field; NaN if lengths differ or a value is NaN or infinite.
double distance(const reference::tissue::state& a, const reference::tissue::state& b);

// Judges the largest distance of two states that so many evaluations of the right-hand side have led to.
checkers::finding judge_distance(const std::string& metric, const reference::tissue::state& answer,
                                 const reference::tissue::state& expected, long evaluations,
                                 precision arithmetic);

// Judges two states that the same steps of one solver have led to, in long calls and in short ones. `growth` is the
// factor by which a disturbance grows in the run.
checkers::finding judge_calls(const std::string& metric, const reference::tissue::state& answer,
                              const reference::tissue::state& expected, double growth, precision arithmetic);

// The same problem with every value of a field higher by this part of the field's largest: a smooth disturbance, which
// diffusion does not damp.
reprise::tissue::problem shifted(reprise::tissue::problem p, double shift);
// A shift far above rounding.
constexpr double shift_in(precision arithmetic) {
  return arithmetic == precision::double_ ? 1e-7 : 1e-3;
}

// Judges steps of a run by the reference's steps from the solver's own state before them. `metric` names what the
// steps are a part of.
checkers::finding judge_steps(const std::string& metric, reprise::tissue::problem p,
                              reprise::tissue::method m, double dt, const reference::tissue::state& before,
                              long steps, const reference::tissue::state& after, precision arithmetic);

// Enough steps that variants with several steps per launch make one full and one partial launch.
constexpr long fewest_steps(reprise::tissue::method m) {
  return 4 / reprise::tissue::stages_of(m) + 1;
}

// Starts the loaded solver at t = 0 and judges its answer.
std::vector<checkers::finding> verify(reprise::tissue::solver& s, const expectation& e, precision arithmetic);

// Why a state after time t cannot be tissue; empty if it can.
std::string failure_of(const reprise::tissue::problem& p, const reference::tissue::state& z, double t);

}  // namespace reprise::verification::tissue
