// SPDX-License-Identifier: MIT
// What a right tissue answer is: the state after a few steps, against the same method on the reference's own
// right-hand side.
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
  // Of variants that make several steps in a launch, or between two exchanges.
  long steps_at_once() const { return 4 / stages_; }
  std::vector<checkers::finding> judge(const reference::tissue::state& answer) const;

 private:
  long steps_;
  int stages_;
  reference::tissue::state reference_;
};

// Dear at the sizes that are timed, and many variants share them: the last ones are kept.
std::shared_ptr<const expectation> expect_steps(const reprise::tissue::problem& p, reprise::tissue::method m,
                                                double dt, long steps);

// Variants that make several steps in a launch then make a full launch and a rest.
constexpr long fewest_steps(reprise::tissue::method m) {
  return 4 / reprise::tissue::stages_of(m) + 1;
}

// Starts the loaded solver from t = 0 and judges.
std::vector<checkers::finding> verify(reprise::tissue::solver& s, const expectation& e);

// What is said of a state after time t that is no tissue's any more; empty where it is one.
std::string failure_of(const reprise::tissue::problem& p, const reference::tissue::state& z, double t);

}  // namespace reprise::verification::tissue
