// SPDX-License-Identifier: MIT
// Right-hand sides of one row of nodes on the host, with SIMD.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "solvers/common/base/simd.hpp"
#include "solvers/curvature/border.hpp"
#include "solvers/curvature/manufactured.hpp"
#include "solvers/curvature/stencil.hpp"

namespace reprise::curvature {

// The inner nodes of one row, as pointers to the row's first node. Neighbouring rows are nx away.
template <class Real>
struct row_of {
  const Real* u;
  const Real* w;
  Real* out;
  std::ptrdiff_t nx;
  inverse_steps<Real> ih;
};

template <class Real>
auto around(const Real* here, std::ptrdiff_t nx) {
  return [=](int dx, int dy) { return here[dx + dy * nx]; };
}

template <class Real>
[[gnu::always_inline]] inline void curvature_row(const row_of<Real>& r) {
#pragma omp simd
  for (std::ptrdiff_t i = 1; i < r.nx - 1; ++i) r.out[i] = curvature_at(around(r.u + i, r.nx), r.ih);
}

template <class Real>
[[gnu::always_inline]] inline void willmore_row(const row_of<Real>& r) {
#pragma omp simd
  for (std::ptrdiff_t i = 1; i < r.nx - 1; ++i)
    r.out[i] = willmore_at(around(r.u + i, r.nx), around(r.w + i, r.nx), r.ih);
}

// zeta's factors along x, with each derivative in a separate array.
template <class Real>
using factors = std::array<std::vector<Real>, 5>;

template <class Real, bool is_willmore>
[[gnu::always_inline]] inline void forcing_row(const row_of<Real>& r, const factors<Real>& along,
                                               const profile<Real>& y, phase<Real> at) {
  const Real* const d0 = along[0].data();
  const Real* const d1 = along[1].data();
  const Real* const d2 = along[2].data();
  const Real* const d3 = along[3].data();
  const Real* const d4 = along[4].data();
#pragma omp simd
  for (std::ptrdiff_t i = 1; i < r.nx - 1; ++i) {
    const profile<Real> x{{d0[i], d1[i], d2[i], d3[i], d4[i]}};
    r.out[i] += is_willmore ? forcing_willmore(x, y, at) : forcing_mean_curvature(x, y, at);
  }
}

template <class Real>
factors<Real> factors_of(const std::vector<profile<Real>>& along) {
  factors<Real> all;
  for (std::size_t k = 0; k < all.size(); ++k)
    for (const profile<Real>& x : along) all[k].push_back(x.d[k]);
  return all;
}

// Stores the curvatures w of a surface at its inner nodes, and w's border. All threads of a parallel region call it.
template <class Real, class Curvatures>
void make_curvatures(const grid& g, const std::vector<Real>& surface, inverse_steps<Real> ih,
                     Curvatures curvatures_of_row, std::vector<Real>& w) {
  const std::ptrdiff_t nx = g.nodes_x();
#pragma omp for schedule(static)
  for (int j = 1; j < g.cells_y; ++j)
    curvatures_of_row({surface.data() + j * nx, nullptr, w.data() + j * nx, nx, ih});
#pragma omp single
  impose_border_of_w(g, w.data());
}

// The bits of non-negative numbers have the same order as the numbers, with infinity and NaN last. A maximum
// of the bits therefore keeps both.
inline std::int64_t bits_of(double magnitude) {
  return std::bit_cast<std::int64_t>(magnitude);
}
inline std::int32_t bits_of(float magnitude) {
  return std::bit_cast<std::int32_t>(magnitude);
}

// The loader can choose between clones of functions, but not of templates.
#define REPRISE_RATE_CLONES(REAL)                                                                    \
  REPRISE_SIMD_CLONES void curvature_clone(const row_of<REAL>& r) {                                  \
    curvature_row(r);                                                                                \
  }                                                                                                  \
  REPRISE_SIMD_CLONES void willmore_clone(const row_of<REAL>& r) {                                   \
    willmore_row(r);                                                                                 \
  }                                                                                                  \
  REPRISE_SIMD_CLONES void forcing_clone(const row_of<REAL>& r, const factors<REAL>& x,              \
                                         const profile<REAL>& y, phase<REAL> at, bool is_willmore) { \
    if (is_willmore) {                                                                               \
      forcing_row<REAL, true>(r, x, y, at);                                                          \
    } else {                                                                                         \
      forcing_row<REAL, false>(r, x, y, at);                                                         \
    }                                                                                                \
  }

}  // namespace reprise::curvature
