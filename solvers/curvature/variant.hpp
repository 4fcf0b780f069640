// SPDX-License-Identifier: MIT
// The interface that every curvature variant implements: Algorithm 4.1 on the semi-discrete system.
// A unit of work is one inner node in one attempted step of five stages.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "solvers/common/registry.hpp"
#include "solvers/common/stopwatch.hpp"
#include "solvers/curvature/controller.hpp"
#include "solvers/curvature/problem.hpp"

namespace reprise::curvature {

// One kernel of a variant on its own, for the paper's Table 1.
struct kernel_probe {
  std::string name;    // "stage_argument"
  double occupancy{};  // resident threads over those that a multiprocessor can hold
  double bytes{};      // read and written by one launch, each once
  std::function<void()> launch;
};

class solver {
 public:
  virtual ~solver() = default;

  virtual void load(const problem& p, precision arithmetic, const control& c) = 0;
  // Back to t = 0 and the initial surface, keeping everything on the device.
  virtual void reset() = 0;
  // Integrates up to t_end; returns once it is known how that ended, whether or not the surface is complete.
  virtual merson advance(double t_end) = 0;
  // Waits for the surface and brings it back, borders included.
  virtual std::vector<double> surface() = 0;
  virtual stopwatch& clock() = 0;
  // Bytes and flops of a unit of work, for the problem loaded.
  virtual work per_unit() const = 0;
  virtual std::vector<kernel_probe> kernels() { return {}; }
};

// Flops of one evaluation of the right-hand side at one node as the paper counts, section 4.3.
constexpr double paper_flops(flow f) {
  return f == flow::mean_curvature ? 85 : 85 + 218;
}

}  // namespace reprise::curvature
