// SPDX-License-Identifier: MIT
// The interface that every atrium variant implements: a sphere of cells from t = 0 with one of the paper's
// methods, and the voltages of the recorded cells on the way.
// A unit of work is one cell in one evaluation of the right-hand side, gates included.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "solvers/atrium/controller.hpp"
#include "solvers/atrium/methods.hpp"
#include "solvers/atrium/problem.hpp"
#include "solvers/common/registry.hpp"
#include "solvers/common/stopwatch.hpp"

namespace reprise::atrium {

// Flops of a unit, an exponential, a root or a division being one: 467 for a cell's rates below -40 mV, 75 to
// follow its gates once, 18 for six neighbours; and two for each slope that enters the next argument.
constexpr double flops_of(double slopes) {
  return 467 + 75 + 18 + 2 * slopes;
}

// A part of an attempt on its own: its launches, from the state as it is.
struct kernel_probe {
  std::string name;
  std::function<void()> launch;
};

class solver {
 public:
  virtual ~solver() = default;

  virtual void load(const problem& p, precision arithmetic) = 0;
  // Back to t = 0 and the initial state, keeping what it can; from here on with these steps.
  virtual void reset(const control& c) = 0;
  // Integrates up to t_end; returns once it is known how that ended, whether or not the state is complete.
  virtual progress advance(double t_end) = 0;
  // Waits for the state of all cells and brings it back.
  virtual std::vector<cell_state> state() = 0;
  // The recorded cells at t = 0 and after each control::record_every-th accepted step.
  virtual recording recorded() = 0;
  virtual stopwatch& clock() = 0;
  // Bytes and flops of a unit of work, for the problem and the method loaded.
  virtual work per_unit() const = 0;
  // The parts of an attempt that finds an error, in their order; they leave the state alone.
  virtual std::vector<kernel_probe> kernels() { return {}; }
};

// By its name, since it may not be built: a black box has the method scheme::black_box and none of the
// paper's, in double precision; of the others none has it.
inline bool is_black_box(std::string_view id) {
  return id.substr(id.find('/') + 1).starts_with("cvode_");
}

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
  progress advance(double t_end) override { return typed_->advance(t_end); }
  std::vector<cell_state> state() override { return typed_->state(); }
  recording recorded() override { return typed_->recorded(); }
  stopwatch& clock() override { return typed_->clock(); }
  work per_unit() const override { return typed_->per_unit(); }
  std::vector<kernel_probe> kernels() override { return typed_->kernels(); }

 private:
  device device_;
  std::unique_ptr<solver> typed_;
};

}  // namespace reprise::atrium
