// SPDX-License-Identifier: MIT
// Stores the voltages of the recorded cells on the host.
#pragma once

#include <vector>

#include "solvers/atrium/problem.hpp"

namespace reprise::atrium {

class recorder {
 public:
  void start(const problem& p, int every) {
    cells_ = p.recorded;
    every_ = every;
    kept_ = {};
  }

  // Takes a sample if one is due after `accepted` steps. Calls `voltage_of(k)` for each recorded cell k.
  template <class VoltageOf>
  void look(double t, long long accepted, VoltageOf voltage_of) {
    if (every_ == 0 || accepted % every_ != 0) return;
    kept_.t.push_back(t);
    for (int k : cells_) kept_.v.push_back(static_cast<double>(voltage_of(static_cast<std::size_t>(k))));
  }

  const recording& kept() const { return kept_; }

 private:
  std::vector<int> cells_;
  int every_{};
  recording kept_;
};

}  // namespace reprise::atrium
