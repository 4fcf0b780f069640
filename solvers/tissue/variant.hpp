// SPDX-License-Identifier: MIT
// The interface that every tissue variant implements: fixed steps of one method.
// A unit of work is one cell in one step.
#pragma once

#include <vector>

#include "solvers/common/registry.hpp"
#include "solvers/common/stopwatch.hpp"
#include "solvers/tissue/problem.hpp"

namespace reprise::tissue {

class solver {
 public:
  virtual ~solver() = default;

  virtual void load(const problem& p, method m, double dt) = 0;
  // Back to the initial state, keeping everything on the device.
  virtual void reset() = 0;
  // May return before the device has finished.
  virtual void step(long count) = 0;
  // Waits for the device. [field][cell]
  virtual std::vector<std::vector<double>> state() = 0;
  virtual stopwatch& clock() = 0;
  // Kernels started in a step, where there are any; less than one where a launch makes several steps.
  virtual double launches_per_step() const { return 0; }
  // Bytes and flops of a unit of work, for what is loaded.
  virtual work per_unit() const = 0;
};

// Flops of the local terms of one cell, counted in models.hpp; a root, a division, an exponential or a
// hyperbolic tangent is one.
constexpr double local_flops(model m) {
  return m == model::fitzhugh_nagumo ? 10 : m == model::karma ? 24 : 168;
}
// Of the nine-point Laplacian and its weight.
constexpr double laplacian_flops = 12;

}  // namespace reprise::tissue
