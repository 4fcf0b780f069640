// SPDX-License-Identifier: MIT
// Base class of the one-thread variants: two iterates with nx+1 zeros at both ends, so that
// no index needs a bounds check.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "solvers/jacobi/variant.hpp"

namespace reprise::jacobi {

class cpu_padded : public solver {
 public:
  void load(const problem& p) override {
    n_ = static_cast<std::size_t>(p.nodes());
    nx_ = p.nx;
    omega_ = p.omega;
    f_ = p.f;
    x0_ = p.x0;
    take_matrix(p);
    reset();
  }

  void reset() override {
    x_.assign(n_ + 2 * padding(), 0.0F);
    next_ = x_;
    std::copy(x0_.begin(), x0_.end(), x_.data() + padding());
  }

  void sweep(int count) override {
    for (int s = 0; s < count; ++s) {
      sweep_once(x_.data() + padding(), next_.data() + padding());
      std::swap(x_, next_);
    }
  }

  std::vector<float> solution() override { return {x_.data() + padding(), x_.data() + padding() + n_}; }

  stopwatch& clock() override { return clock_; }

 protected:
  virtual void take_matrix(const problem& p) = 0;
  // Both pointers point at node 0. The buffers do not overlap.
  virtual void sweep_once(const float* x, float* next) = 0;

  std::size_t n_{};
  std::ptrdiff_t nx_{};
  float omega_{};
  std::vector<float> f_;

 private:
  std::size_t padding() const { return static_cast<std::size_t>(nx_) + 1; }

  std::vector<float> x0_, x_, next_;
  steady_stopwatch clock_;
};

}  // namespace reprise::jacobi
