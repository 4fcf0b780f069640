// SPDX-License-Identifier: MIT
// The interface that every curvature variant implements: Algorithm 4.1 on the semi-discrete system.
// A unit of work is one inner node in one attempted step of five stages.
#pragma once

#include <functional>
#include <memory>
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

  virtual void load(const problem& p, precision arithmetic) = 0;
  // Back to t = 0 and the initial surface, keeping everything on the device; from here on with these steps.
  virtual void reset(const control& c) = 0;
  // Integrates up to t_end; returns once it is known how that ended, whether or not the surface is complete.
  virtual merson advance(double t_end) = 0;
  // Waits for the surface and brings it back, borders included.
  virtual std::vector<double> surface() = 0;
  virtual stopwatch& clock() = 0;
  // Bytes and flops of a unit of work, for the problem loaded.
  virtual work per_unit() const = 0;
  virtual std::vector<kernel_probe> kernels() { return {}; }
};

// A variant made of one class for each precision. (Not of their template: GCC 12 takes templates of the same
// name in two unnamed namespaces for one where they are arguments.)
template <class Single, class Double>
class in_either_precision : public solver {
 public:
  explicit in_either_precision(const device& d) : device_(d) {}

  void load(const problem& p, precision arithmetic) override {
    typed_.reset();  // the old problem makes room before the new one comes
    if (arithmetic == precision::single) {
      typed_ = std::make_unique<Single>(device_);
    } else {
      typed_ = std::make_unique<Double>(device_);
    }
    typed_->load(p, arithmetic);
  }
  void reset(const control& c) override { typed_->reset(c); }
  merson advance(double t_end) override { return typed_->advance(t_end); }
  std::vector<double> surface() override { return typed_->surface(); }
  stopwatch& clock() override { return typed_->clock(); }
  work per_unit() const override { return typed_->per_unit(); }
  std::vector<kernel_probe> kernels() override { return typed_->kernels(); }

 private:
  device device_;
  std::unique_ptr<solver> typed_;
};

// Flops of one attempted step at one node, counted in stencil.hpp and manufactured.hpp and outside of them; a
// root or a division is one, profiles are taken from tables.
constexpr double step_flops(flow f, setting s) {
  const bool is_forced = s == setting::manufactured;
  const double rate = f == flow::mean_curvature ? 58 + (is_forced ? 29 : 0) : 196 + (is_forced ? 254 : 0);
  constexpr double sums_and_error = 31;
  return 5 * rate + sums_and_error;
}

// Flops of one evaluation of the right-hand side at one node as the paper counts, section 4.3.
constexpr double paper_flops(flow f) {
  return f == flow::mean_curvature ? 85 : 85 + 218;
}

}  // namespace reprise::curvature
