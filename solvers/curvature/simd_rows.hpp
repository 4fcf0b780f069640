// SPDX-License-Identifier: MIT
// Right-hand sides of one row of nodes on the host, with SIMD.
#pragma once

#include <omp.h>

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

// Q and the flux at each of a row of edges. An edge has the index of the node west or south of it.
template <class Real>
struct edge_row {
  Real* q;
  Real* flux;
};

// The edges around a row of nodes. Those south of it are known if the row before was the last one computed.
template <class Real>
struct edges_of_row {
  edge_row<Real> south, north, east;
  bool has_south;
};

// Memory of one thread for the edges, so that each is computed once for both of its nodes.
template <class Real>
class edge_memory {
 public:
  explicit edge_memory(std::ptrdiff_t nx) : nx_(nx), values_(static_cast<std::size_t>(6 * nx)) {}
  // Another surface follows.
  void forget() { last_ = -1; }
  edges_of_row<Real> of_row(int j) {
    const bool has_south = j - 1 == last_;
    last_ = j;
    return {row(j - 1), row(j), place(2), has_south};
  }

 private:
  edge_row<Real> row(int j) { return place(j % 2); }
  edge_row<Real> place(int n) {
    Real* const first = values_.data() + 2 * n * nx_;
    return {first, first + nx_};
  }

  std::ptrdiff_t nx_;
  int last_{-1};
  std::vector<Real> values_;
};

template <class Real>
class edges_of_threads {
 public:
  // Outside parallel regions.
  void make_room(std::ptrdiff_t nx) {
    all_.assign(static_cast<std::size_t>(omp_get_max_threads()), edge_memory<Real>(nx));
  }
  int threads() const { return static_cast<int>(all_.size()); }
  edge_memory<Real>& mine() { return all_[static_cast<std::size_t>(omp_get_thread_num())]; }

 private:
  std::vector<edge_memory<Real>> all_;
};

template <class Real>
auto around(const Real* here, std::ptrdiff_t nx) {
  return [=](int dx, int dy) { return here[dx + dy * nx]; };
}

// The slopes of u and Q at an edge, with its flux in mean-curvature flow.
template <class Real>
struct flat_edges {
  row_of<Real> r;

  void east(std::ptrdiff_t i, Real& q, Real& flux) const {
    const slope<Real> g = slope_east(around(r.u + i, r.nx), 0, r.ih);
    q = stretch(g);
    flux = g.x / q;
  }
  void north(std::ptrdiff_t i, int dy, Real& q, Real& flux) const {
    const slope<Real> g = slope_north(around(r.u + i, r.nx), dy, r.ih);
    q = stretch(g);
    flux = g.y / q;
  }
  static constexpr Real sign = 1;
};

// And in Willmore flow.
template <class Real>
struct bent_edges {
  row_of<Real> r;

  void east(std::ptrdiff_t i, Real& q, Real& flux) const {
    const auto w = around(r.w + i, r.nx);
    const slope<Real> g = slope_east(around(r.u + i, r.nx), 0, r.ih);
    q = stretch(g);
    flux = flux_x(g, slope_east(w, 0, r.ih), Real(.5) * (w(0, 0) + w(1, 0)), q);
  }
  void north(std::ptrdiff_t i, int dy, Real& q, Real& flux) const {
    const auto w = around(r.w + i, r.nx);
    const slope<Real> g = slope_north(around(r.u + i, r.nx), dy, r.ih);
    q = stretch(g);
    flux = flux_y(g, slope_north(w, dy, r.ih), Real(.5) * (w(0, dy) + w(0, dy + 1)), q);
  }
  static constexpr Real sign = -1;
};

// Right-hand sides (17) and (21) without forcing, as curvature_at() and willmore_at() define them.
template <template <class> class Edges, class Real>
[[gnu::always_inline]] inline void rate_row(const row_of<Real> r, const edges_of_row<Real> e) {
  const Edges<Real> at{r};
  if (!e.has_south) {
#pragma omp simd
    for (std::ptrdiff_t i = 1; i < r.nx - 1; ++i) at.north(i, -1, e.south.q[i], e.south.flux[i]);
  }
#pragma omp simd
  for (std::ptrdiff_t i = 1; i < r.nx - 1; ++i) at.north(i, 0, e.north.q[i], e.north.flux[i]);
#pragma omp simd
  for (std::ptrdiff_t i = 0; i < r.nx - 1; ++i) at.east(i, e.east.q[i], e.east.flux[i]);
#pragma omp simd
  for (std::ptrdiff_t i = 1; i < r.nx - 1; ++i) {
    const Real q = e.east.q[i] + e.north.q[i] + e.east.q[i - 1] + e.south.q[i];
    const Real h =
        r.ih.x * (e.east.flux[i] - e.east.flux[i - 1]) + r.ih.y * (e.north.flux[i] - e.south.flux[i]);
    r.out[i] = Edges<Real>::sign * Real(.25) * q * h;
  }
}

// zeta's factors along x, with each derivative in a separate array.
template <class Real>
using factors = std::array<std::vector<Real>, 5>;

template <class Real, bool is_willmore>
[[gnu::always_inline]] inline void forcing_row(const row_of<Real> r, const factors<Real>& along,
                                               const profile<Real> y, phase<Real> at) {
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
                     edge_memory<Real>& edges, Curvatures curvatures_of_row, std::vector<Real>& w) {
  const std::ptrdiff_t nx = g.nodes_x();
  edges.forget();
#pragma omp for schedule(static)
  for (int j = 1; j < g.cells_y; ++j)
    curvatures_of_row({surface.data() + j * nx, nullptr, w.data() + j * nx, nx, ih}, edges.of_row(j));
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
#define REPRISE_RATE_CLONES(REAL)                                                                         \
  REPRISE_FLATTENED REPRISE_SIMD_CLONES void curvature_clone(const row_of<REAL>& r,                       \
                                                             const edges_of_row<REAL>& e) {               \
    rate_row<flat_edges>(r, e);                                                                           \
  }                                                                                                       \
  REPRISE_FLATTENED REPRISE_SIMD_CLONES void willmore_clone(const row_of<REAL>& r,                        \
                                                            const edges_of_row<REAL>& e) {                \
    rate_row<bent_edges>(r, e);                                                                           \
  }                                                                                                       \
  REPRISE_FLATTENED REPRISE_SIMD_CLONES void forcing_clone(const row_of<REAL>& r, const factors<REAL>& x, \
                                                           const profile<REAL>& y, phase<REAL> at,        \
                                                           bool is_willmore) {                            \
    if (is_willmore) {                                                                                    \
      forcing_row<REAL, true>(r, x, y, at);                                                               \
    } else {                                                                                              \
      forcing_row<REAL, false>(r, x, y, at);                                                              \
    }                                                                                                     \
  }

}  // namespace reprise::curvature
