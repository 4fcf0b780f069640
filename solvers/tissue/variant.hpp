// SPDX-License-Identifier: MIT
// The interface of the tissue variants: fixed steps of one method. A unit of work is one cell in one step.
#pragma once

#include <optional>
#include <vector>

#include "solvers/common/base/error.hpp"
#include "solvers/common/base/registry.hpp"
#include "solvers/common/base/stopwatch.hpp"
#include "solvers/tissue/problem.hpp"

namespace reprise::tissue {

class solver {
 public:
  virtual ~solver() = default;

  virtual void load(const problem& p, method m, double dt, precision arithmetic) = 0;
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

// For variants that have double precision alone.
inline void require_double(precision arithmetic) {
  if (arithmetic != precision::double_) throw unavailable("works in double precision only");
}

// A variant that combines one class for each precision. Problems of the same precision are loaded by one object, since a
// new one costs an OpenCL context.
template <class Single, class Double>
class in_either_precision final : public either_precision<solver, Single, Double> {
 public:
  using either_precision<solver, Single, Double>::either_precision;

  void load(const problem& p, method m, double dt, precision arithmetic) override {
    require_method(p, m, dt);
    if (made_for_ != arithmetic) {
      made_for_.reset();
      this->made(arithmetic);
      made_for_ = arithmetic;
    }
    this->typed().load(p, m, dt, arithmetic);
  }
  void reset() override { this->typed().reset(); }
  void step(long count) override { this->typed().step(count); }
  std::vector<std::vector<double>> state() override { return this->typed().state(); }
  stopwatch& clock() override { return this->typed().clock(); }
  double launches_per_step() const override { return this->typed().launches_per_step(); }
  work per_unit() const override { return this->typed().per_unit(); }

 private:
  std::optional<precision> made_for_;
};

// Flops of the local terms of one cell, counted in models.hpp. A root, a division, an exponential or a
// hyperbolic tangent counts as one.
constexpr double local_flops(model m) {
  return m == model::fitzhugh_nagumo ? 10 : m == model::karma ? 24 : 168;
}
// Flops of the nine-point Laplacian and its coefficient.
constexpr double laplacian_flops = 12;

}  // namespace reprise::tissue
