// SPDX-License-Identifier: MIT
// Base class of the variants with fragment shaders, which differ only in the fragment shader and
// the number of nodes per texel.
//
// Coefficients and iterates are in textures of nx/channels by ny texels. A sweep draws one triangle over a
// framebuffer: the fragment shader reads the old iterate's texture and writes the new one's, and then the
// two swap. As in the paper, reads beyond the border are clamped: they give finite values, which are
// multiplied by zeros of the diagonals.
#pragma once

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "solvers/common/opengl/opengl.hpp"
#include "solvers/jacobi/variant.hpp"

namespace reprise::jacobi {

class opengl_pingpong : public solver {
 public:
  // The shader's uniforms are sampler2DRect d[9], f, x and float w. A texel holds `channels` nodes of a row.
  opengl_pingpong(const device& d, std::string_view fragment_source, int channels)
      : context_(d), program_(context_, fragment_source), clock_(context_), channels_(channels) {}

  void load(const problem& p) override {
    context_.make_current();
    nx_ = static_cast<std::size_t>(p.nx);
    ny_ = static_cast<std::size_t>(p.ny);
    x0_ = p.x0;
    d_ = {};  // frees the old problem before allocating the new one
    x_ = {};
    context_.expect_fit(12 * sizeof(float) * row_floats() * ny_, "textures");
    for (std::size_t k = 0; k < 9; ++k) d_[k] = texture_of(p.diagonals[k], k == 4 ? 1.0F : 0.0F);
    f_ = texture_of(p.f, 0.0F);
    for (std::size_t i = 0; i < 2; ++i) {
      x_[i] = texture_of(p.x0, 0.0F);
      into_x_[i] = gl_framebuffer(x_[i]);
    }
    bind_inputs(p.omega);
    current_ = 0;
  }

  void reset() override {
    x_[0].upload(padded(x0_, 0.0F));
    current_ = 0;
  }

  void sweep(int count) override {
    context_.make_current();
    program_.use();
    for (int s = 0; s < count; ++s) {
      into_x_[1 - current_].bind();
      x_[current_].bind(x_unit);
      gl_draw();
      current_ = 1 - current_;
    }
    REPRISE_GL(glFlush());
  }

  std::vector<float> solution() override {
    const std::vector<float> texels = x_[current_].download();
    std::vector<float> x;
    x.reserve(nx_ * ny_);
    for (std::size_t row = 0; row < ny_; ++row) {
      const auto begin = texels.begin() + static_cast<std::ptrdiff_t>(row * row_floats());
      x.insert(x.end(), begin, begin + static_cast<std::ptrdiff_t>(nx_));
    }
    return x;
  }

  stopwatch& clock() override { return clock_; }

 private:
  static constexpr int f_unit = 9;
  static constexpr int x_unit = 10;

  std::size_t texels_in_row() const {
    const auto channels = static_cast<std::size_t>(channels_);
    return (nx_ + channels - 1) / channels;
  }

  std::size_t row_floats() const { return texels_in_row() * static_cast<std::size_t>(channels_); }

  // Pads rows to whole texels. x must stay zero in the padding: there the main diagonal is 1 and all else 0.
  std::vector<float> padded(const std::vector<float>& values, float filler) const {
    std::vector<float> texels(row_floats() * ny_, filler);
    for (std::size_t row = 0; row < ny_; ++row)
      std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(row * nx_), nx_,
                  texels.begin() + static_cast<std::ptrdiff_t>(row * row_floats()));
    return texels;
  }

  gl_texture texture_of(const std::vector<float>& values, float filler) const {
    gl_texture texture(context_, static_cast<int>(texels_in_row()), static_cast<int>(ny_), channels_);
    texture.upload(padded(values, filler));
    return texture;
  }

  void bind_inputs(float omega) const {
    std::vector<int> units(9);
    std::iota(units.begin(), units.end(), 0);
    for (std::size_t k = 0; k < 9; ++k) d_[k].bind(units[k]);
    f_.bind(f_unit);
    x_[0].bind(x_unit);  // leaves its unit active, to which later uploads may bind
    program_.use();
    program_.set("d", units);
    program_.set("f", f_unit);
    program_.set("x", x_unit);
    program_.set("w", omega);
  }

  gl_context context_;
  gl_program program_;
  gl_stopwatch clock_;
  int channels_;
  std::size_t nx_{};
  std::size_t ny_{};
  std::vector<float> x0_;
  std::array<gl_texture, 9> d_;
  gl_texture f_;
  std::array<gl_texture, 2> x_;
  std::array<gl_framebuffer, 2> into_x_;
  std::size_t current_{};  // index of the texture that holds x
};

}  // namespace reprise::jacobi
