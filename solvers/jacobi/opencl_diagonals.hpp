// SPDX-License-Identifier: MIT
// Base class of the OpenCL variants with one-dimensional storage: nine separate diagonals, f, and two iterates with nx+1
// zeros at both ends, so that no index needs a bounds check.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "solvers/common/opencl/opencl.hpp"
#include "solvers/jacobi/variant.hpp"

namespace reprise::jacobi {

class opencl_diagonals : public solver {
 public:
  opencl_diagonals(const device& d, std::string_view source)
      : context_(d), program_(context_, source), clock_(context_) {}

  void load(const problem& p) override {
    n_ = static_cast<std::size_t>(p.nodes());
    base_ = static_cast<std::size_t>(p.nx) + 1;
    x0_ = p.x0;
    d_ = {};  // frees the old problem before allocating the new one
    x_ = {};
    for (std::size_t k = 0; k < 9; ++k) d_[k] = opencl_uploaded(context_, p.diagonals[k]);
    f_ = opencl_uploaded(context_, p.f);
    for (std::size_t i = 0; i < 2; ++i) {
      x_[i] = opencl_buffer<float>(context_, n_ + 2 * base_);
      x_[i].fill(0.0F);
    }
    for (std::size_t from = 0; from < 2; ++from) {
      sweep_from_[from] = opencl_kernel(program_, "sweep");
      set(sweep_from_[from], p, {d_, f_, x_[from], x_[1 - from]});
    }
    group_ = sweep_from_[0].group_at_most(items());
    reset();
  }

  void reset() override {
    x_[0].write(x0_, base_);
    current_ = 0;
  }

  void sweep(int count) override {
    for (int s = 0; s < count; ++s) {
      sweep_from_[current_].run(n_, group_);
      current_ = 1 - current_;
    }
    context_.flush();
  }

  std::vector<float> solution() override { return x_[current_].read(base_, n_); }

  stopwatch& clock() override { return clock_; }

 protected:
  static constexpr std::size_t papers_items = 64;  // of a work-group: the paper's block size

  struct arrays {
    const std::array<opencl_buffer<float>, 9>& d;
    const opencl_buffer<float>&f, &x, &next;
  };
  virtual std::size_t items() const { return papers_items; }  // of a work-group, at most
  // Sets the arguments of a kernel that makes a sweep from x to next.
  virtual void set(opencl_kernel& sweep, const problem& p, const arrays& with) = 0;

 private:
  opencl_context context_;
  opencl_program program_;
  opencl_stopwatch clock_;
  std::size_t n_{};
  std::size_t base_{};
  std::vector<float> x0_;
  std::array<opencl_buffer<float>, 9> d_;
  opencl_buffer<float> f_;
  std::array<opencl_buffer<float>, 2> x_;
  std::array<opencl_kernel, 2> sweep_from_;  // reads x_[i], writes the other
  std::size_t current_{};
  std::size_t group_{};
};

}  // namespace reprise::jacobi
