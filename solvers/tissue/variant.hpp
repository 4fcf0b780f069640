// SPDX-License-Identifier: MIT
// The interface of the tissue variants: fixed steps of one method. A unit of work is one cell in one step.
#pragma once

#include <vector>

#include "solvers/common/base/registry.hpp"
#include "solvers/common/base/stopwatch.hpp"
#include "solvers/tissue/problem.hpp"

namespace reprise::tissue {

class solver {
 public:
  virtual ~solver() = default;

  virtual void load(const problem& p, method m, double dt) = 0;
  // Restores the initial state and keeps everything on the device.
  virtual void reset() = 0;
  // May return before the device has finished.
  virtual void step(long count) = 0;
  // Waits for the device and returns the state as [field][cell].
  virtual std::vector<std::vector<double>> state() = 0;
  virtual stopwatch& clock() = 0;
  // Number of kernels started per step, for variants that start any; below one if
  // a launch makes several steps.
  virtual double launches_per_step() const { return 0; }
  // Bytes and flops of a unit of work for the loaded problem.
  virtual work per_unit() const = 0;
};

// Flops of the local terms of one cell, counted in models.hpp. A root, a division, an exponential or a
// hyperbolic tangent counts as one.
constexpr double local_flops(model m) {
  return m == model::fitzhugh_nagumo ? 10 : m == model::karma ? 24 : 168;
}
// Flops of the nine-point Laplacian and its coefficient.
constexpr double laplacian_flops = 12;

}  // namespace reprise::tissue
