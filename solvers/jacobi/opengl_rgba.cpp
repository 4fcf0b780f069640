// SPDX-License-Identifier: MIT
// OpenGL with four consecutive nodes per texel.
// Place: section 5.2, Figs 8 and 9.
// Formula: x'[i] = (1-w) x[i] + w (f[i] - sum over k != 4 of d_k[i] x[i + offset k]) / d_4[i]
// Where we differ: as in opengl_luminance. The paper does not say what happens if a row's length is not a
// multiple of four; here such rows are padded with nodes that stay zero.
#include "solvers/jacobi/opengl_pingpong.hpp"
#include "solvers/jacobi/opengl_rgba.frag.hpp"

namespace reprise::jacobi {
namespace {

class opengl_rgba final : public opengl_pingpong {
 public:
  explicit opengl_rgba(const device& d) : opengl_pingpong(d, opengl_rgba_frag, 4) {}
};

REPRISE_VARIANT(solver, opengl_rgba,
                {.summary = "fragment shader, four nodes in a texel",
                 .place = "section 5.2, Figs 8 and 9",
                 .precisions = {precision::single},
                 .per_unit = plain_work});

}  // namespace
}  // namespace reprise::jacobi
