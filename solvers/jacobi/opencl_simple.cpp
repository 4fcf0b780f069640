// SPDX-License-Identifier: MIT
// The paper's simple CUDA kernel in OpenCL: nine separate vectors and a padded x,
// with one work-item per node.
// Place: section 6.1, Figs 11 and 12, in another language, as a baseline for the devices of every vendor.
// Formula: x'[i] = (1-w) x[i] + w (f[i] - sum over k != 4 of d_k[i] x[i + offset k]) / d_4[i]
// x has nx+1 zeros at both ends, so that no index needs a bounds check. Reads that wrap round at a row's ends
// are multiplied by zeros of the diagonals.
#include <algorithm>
#include <array>
#include <vector>

#include "solvers/common/opencl/opencl.hpp"
#include "solvers/jacobi/opencl_simple.cl.hpp"
#include "solvers/jacobi/variant.hpp"

namespace reprise::jacobi {
namespace {

constexpr std::size_t group = 64;  // the paper's block size

class opencl_simple final : public solver {
 public:
  explicit opencl_simple(const device& d)
      : context_(d), program_(context_, opencl_simple_cl), clock_(context_) {}

  void load(const problem& p) override {
    n_ = static_cast<std::size_t>(p.nodes());
    base_ = static_cast<std::size_t>(p.nx) + 1;
    x0_ = p.x0;
    d_ = {};  // frees the old problem before allocating the new one
    x_ = {};
    for (std::size_t k = 0; k < 9; ++k) d_[k] = filled(p.diagonals[k]);
    f_ = filled(p.f);
    for (std::size_t i = 0; i < 2; ++i) {
      x_[i] = opencl_buffer<float>(context_, n_ + 2 * base_);
      x_[i].fill(0.0F);
    }
    for (std::size_t from = 0; from < 2; ++from) {
      sweep_from_[from] = opencl_kernel(program_, "sweep");
      sweep_from_[from].set(d_[0], d_[1], d_[2], d_[3], d_[4], d_[5], d_[6], d_[7], d_[8], f_, x_[from],
                            x_[1 - from], p.omega, p.nx, p.nodes());
    }
    reset();
  }

  void reset() override {
    x_[0].write(x0_, base_);
    current_ = 0;
  }

  void sweep(int count) override {
    for (int s = 0; s < count; ++s) {
      sweep_from_[current_].run(n_, group);
      current_ = 1 - current_;
    }
    context_.flush();
  }

  std::vector<float> solution() override { return x_[current_].read(base_, n_); }

  stopwatch& clock() override { return clock_; }

 private:
  opencl_buffer<float> filled(const std::vector<float>& values) {
    opencl_buffer<float> buffer(context_, values.size());
    buffer.write(values);
    return buffer;
  }

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
};

REPRISE_VARIANT(solver, opencl_simple,
                {.summary = "OpenCL, nine separate diagonals, padded x",
                 .place = "section 6.1, Fig 11, in OpenCL",
                 .precisions = {precision::single},
                 .per_unit = plain_work});

}  // namespace
}  // namespace reprise::jacobi
