// SPDX-License-Identifier: MIT
// The interface of the curvature variants: Algorithm 4.1 on the semi-discrete system. A unit of work is one
// inner node in one attempted step of five stages, or in one evaluation of a stabilised method.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "solvers/common/base/registry.hpp"
#include "solvers/common/base/stopwatch.hpp"
#include "solvers/curvature/controller.hpp"
#include "solvers/curvature/problem.hpp"

namespace reprise::curvature {

// One kernel of a variant by itself, for the paper's Table 1.
struct kernel_probe {
  std::string name;    // "stage_argument"
  double occupancy{};  // the fraction of a multiprocessor's threads that are resident
  double bytes{};      // read and written by one launch, each value counted once
  std::function<void()> launch;
};

class solver {
 public:
  virtual ~solver() = default;

  virtual void load(const problem& p, precision arithmetic) = 0;
  // Returns to t = 0 and the initial surface, with all data kept on the device. Later steps follow `c`.
  virtual void reset(const control& c) = 0;
  // Integrates up to t_end. Returns when the outcome is known, even if the surface is not complete yet.
  virtual merson advance(double t_end) = 0;
  // Waits for the surface and returns it, border included.
  virtual std::vector<double> surface() = 0;
  virtual stopwatch& clock() = 0;
  // Bytes and flops of a unit of work for the loaded problem.
  virtual work per_unit() const = 0;
  virtual std::vector<kernel_probe> kernels() { return {}; }
  virtual integrator method() const { return integrator::merson; }
};

// Whether a variant has a stabilised method instead of the paper's, judged by its name because the variant may not
// have been built.
inline bool is_stabilised(std::string_view id) {
  return id.ends_with("_rkc");
}

// A variant that combines one class for each precision.
template <class Single, class Double>
class in_either_precision final : public either_precision<solver, Single, Double> {
 public:
  using either_precision<solver, Single, Double>::either_precision;

  void load(const problem& p, precision arithmetic) override { this->made(arithmetic).load(p, arithmetic); }
  void reset(const control& c) override { this->typed().reset(c); }
  merson advance(double t_end) override { return this->typed().advance(t_end); }
  std::vector<double> surface() override { return this->typed().surface(); }
  stopwatch& clock() override { return this->typed().clock(); }
  work per_unit() const override { return this->typed().per_unit(); }
  std::vector<kernel_probe> kernels() override { return this->typed().kernels(); }
};

// Flops of one attempted step at one node, counted in stencil.hpp, manufactured.hpp and the sums around them.
// A root or a division counts as one; profiles are taken from tables.
constexpr double step_flops(flow f, boundary s) {
  const bool is_forced = s == boundary::manufactured;
  const double rate = f == flow::mean_curvature ? 58 + (is_forced ? 29 : 0) : 196 + (is_forced ? 254 : 0);
  constexpr double sums_and_error = 31;
  return 5 * rate + sums_and_error;
}

// Flops of one evaluation of a stabilised method at one node, with the sum of a stage.
constexpr double stage_flops(flow f, boundary s) {
  constexpr double merson_sums = 31;
  constexpr double sum = 9;
  return (step_flops(f, s) - merson_sums) / 5 + sum;
}

// Words of shared memory per value in a reduction by a tree of `threads` to their largest: each element is written, and
// in each level half of the elements read two and write one.
constexpr double tree_words(double threads, double values) {
  return (threads + 3 * (threads - 1) + 1) / values;
}

// Flops of one evaluation of the right-hand side at one node, as the paper counts them in section 4.3.
constexpr double paper_flops(flow f) {
  return f == flow::mean_curvature ? 85 : 85 + 218;
}

}  // namespace reprise::curvature
