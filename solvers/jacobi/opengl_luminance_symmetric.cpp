// SPDX-License-Identifier: MIT
// Like opengl_luminance, but reads only the main diagonal and the four after it.
// Place: section 8, "the use of the symmetry of the matrix leads to a performance penalty of 10%"
// Formula: x' = (1-w) x + w (f - sum over k != 4 of d_k x_k) / d_4 with d_k[i] = d_(8-k)[i + offset k] for k < 4
// Where we differ: the paper says neither which of its two OpenGL codes it changed nor how. Here it is the one
// with one node per texel, with a conditional for each neighbour whose coefficient lies outside the grid.
#include "solvers/jacobi/opengl_luminance_symmetric.frag.hpp"
#include "solvers/jacobi/opengl_pingpong.hpp"

namespace reprise::jacobi {
namespace {

// Throws unavailable unless each of the first four diagonals repeats values of its opposite.
void require_symmetry(const problem& p) {
  for (int k = 0; k < 4; ++k)
    for (int iy = 0; iy < p.ny; ++iy)
      for (int ix = 0; ix < p.nx; ++ix) {
        const int jx = ix + dx(k);
        const int jy = iy + dy(k);
        if (jx < 0 || jx >= p.nx || jy < 0) continue;
        const auto here = static_cast<std::size_t>(ix + p.nx * iy);
        const auto there = static_cast<std::size_t>(jx + p.nx * jy);
        const auto own = static_cast<std::size_t>(k);
        if (p.diagonals[own][here] != p.diagonals[8 - own][there])
          throw unavailable("needs a symmetric matrix: it reads the first four diagonals as the last four");
      }
}

class opengl_luminance_symmetric final : public opengl_pingpong {
 public:
  explicit opengl_luminance_symmetric(const device& d)
      : opengl_pingpong(d, opengl_luminance_symmetric_frag, 1) {}

  void load(const problem& p) override {
    require_symmetry(p);
    opengl_pingpong::load(p);
  }
};

// Four diagonals less than in plain_work cross the memory bus.
REPRISE_VARIANT(solver, opengl_luminance_symmetric,
                {.summary = "as opengl_luminance, from half of a symmetric matrix",
                 .place = "section 8, no table",
                 .precisions = {precision::single},
                 .per_unit = {.bytes_logical = 80, .bytes_dram = 32, .bytes_dram_once = 0, .flops = 20}});

}  // namespace
}  // namespace reprise::jacobi
