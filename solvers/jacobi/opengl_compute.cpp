// SPDX-License-Identifier: MIT
// The paper's simple CUDA kernel as an OpenGL compute shader: nine separate vectors and a padded x, with one
// invocation per node.
// Place: section 6.1, Figs 11 and 12, through OpenGL. The paper's OpenGL had fragment shaders only. GPUs of data
// centres have few units that rasterise, so there a fragment shader measures these units; a compute shader uses
// the units that CUDA uses, and compares the two interfaces.
// Formula: x'[i] = (1-w) x[i] + w (f[i] - sum over k != 4 of d_k[i] x[i + offset k]) / d_4[i]
// Groups have 64 invocations of one row, as the paper's blocks have 64 threads. Rows of groups follow the rows of
// the grid, because OpenGL promises only 65535 groups in one direction.
#include <array>
#include <vector>

#include "solvers/common/opengl/compute.hpp"
#include "solvers/jacobi/opengl_compute.comp.hpp"
#include "solvers/jacobi/variant.hpp"

namespace reprise::jacobi {
namespace {

class opengl_compute final : public solver {
 public:
  explicit opengl_compute(const device& d)
      : context_(d), program_(context_, opengl_compute_comp, items, buffers), clock_(context_) {}

  void load(const problem& p) override {
    context_.make_current();
    nx_ = p.nx;
    ny_ = p.ny;
    base_ = static_cast<std::size_t>(p.nx) + 1;
    x0_ = p.x0;
    d_ = {};  // frees the old problem before allocating the new one
    f_ = {};
    x_ = {};
    context_.expect_fit((buffers * nodes() + 4 * base_) * sizeof(float), "buffers");
    for (std::size_t k = 0; k < 9; ++k) d_[k] = gl_buffer(context_, p.diagonals[k]);
    f_ = gl_buffer(context_, p.f);
    for (gl_buffer& x : x_) x = gl_buffer(context_, std::vector<float>(nodes() + 2 * base_));
    program_.use();
    program_.set("w", p.omega);
    program_.set("nx", p.nx);
    reset();
  }

  void reset() override {
    x_[0].write(x0_, base_);
    current_ = 0;
  }

  void sweep(int count) override {
    context_.make_current();
    program_.use();
    for (unsigned k = 0; k < 9; ++k) d_[k].bind(k);
    f_.bind(9);
    for (int s = 0; s < count; ++s) {
      x_[current_].bind(10);
      x_[1 - current_].bind(11);
      program_.dispatch(nx_, ny_);
      current_ = 1 - current_;
    }
    REPRISE_GL(glFlush());
  }

  std::vector<float> solution() override { return x_[current_].read(base_, nodes()); }

  stopwatch& clock() override { return clock_; }

 private:
  static constexpr int items = 64;
  static constexpr int buffers = 12;

  std::size_t nodes() const { return static_cast<std::size_t>(nx_) * static_cast<std::size_t>(ny_); }

  gl_context context_;
  gl_compute_program program_;
  gl_stopwatch clock_;
  int nx_{};
  int ny_{};
  std::size_t base_{};
  std::vector<float> x0_;
  std::array<gl_buffer, 9> d_;
  gl_buffer f_;
  std::array<gl_buffer, 2> x_;
  std::size_t current_{};  // index of the buffer that holds x
};

REPRISE_VARIANT(solver, opengl_compute,
                {.summary = "compute shader, nine separate diagonals, padded x",
                 .place = "section 6.1, Fig 11, through OpenGL",
                 .precisions = {precision::single},
                 .per_unit = plain_work});

}  // namespace
}  // namespace reprise::jacobi
