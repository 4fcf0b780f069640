// SPDX-License-Identifier: MIT
// OpenGL with one node per texel, the paper's "luminance" textures.
// Place: section 5.1, Figs 6 and 7.
// Formula: x'[i] = (1-w) x[i] + w (f[i] - sum over k != 4 of d_k[i] x[i + offset k]) / d_4[i]
// Where we differ: textures are R32F, because OpenGL 3 dropped luminance; EGL draws off-screen instead of
// into a window; one triangle is drawn instead of a quad.
#include "solvers/jacobi/opengl_luminance.frag.hpp"
#include "solvers/jacobi/opengl_pingpong.hpp"

namespace reprise::jacobi {
namespace {

class opengl_luminance final : public opengl_pingpong {
 public:
  explicit opengl_luminance(const device& d) : opengl_pingpong(d, opengl_luminance_frag, 1) {}
};

REPRISE_VARIANT(solver, opengl_luminance,
                {.summary = "fragment shader, one node in a texel",
                 .place = "section 5.1, Fig 7",
                 .precisions = {precision::single},
                 .per_unit = plain_work});

}  // namespace
}  // namespace reprise::jacobi
