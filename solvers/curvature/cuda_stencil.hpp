// SPDX-License-Identifier: MIT
// The scheme of stencil.hpp in a form that is fast on a device: a reciprocal square root
// replaces a root and divisions.
#pragma once

#include "solvers/common/cuda/cuda.hpp"
#include "solvers/curvature/manufactured.hpp"
#include "solvers/curvature/stencil.hpp"

namespace reprise::curvature {
inline namespace REPRISE_CUDA_FLAVOUR {

// 1 / sqrt(s) for s >= 1, without the special cases of a general root. For infinite s the product
// s * inverse_root(s) is NaN, so a blow-up remains visible.
__device__ inline float inverse_root(float s) {
  return rsqrt(s);
}

__device__ inline double inverse_root(double s) {
#ifdef REPRISE_CUDA_EMULATED
  return 1 / std::sqrt(s);
#else
  double y;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(s));
  // One step of third order; it gives more than double precision from 22 bits.
  const double e = 1 - s * y * y;
  return y + y * e * (.5 + .375 * e);
#endif
}

// The flux through an edge under mean curvature, and the edge's Q.
template <class Real>
struct edge {
  Real flux, q;
};

template <class Real>
__device__ inline edge<Real> edge_of(Real along, Real across) {
  const Real square = 1 + along * along + across * across;
  const Real inverse = inverse_root(square);
  return {along * inverse, square * inverse};
}

// Same as curvature_at().
template <class Real, class Field>
__device__ inline Real bending_at(const Field& u, inverse_steps<Real> ih) {
  const slope<Real> to_east = slope_east(u, 0, ih);
  const slope<Real> to_west = slope_east(u, -1, ih);
  const slope<Real> to_north = slope_north(u, 0, ih);
  const slope<Real> to_south = slope_north(u, -1, ih);
  const edge<Real> east = edge_of(to_east.x, to_east.y);
  const edge<Real> west = edge_of(to_west.x, to_west.y);
  const edge<Real> north = edge_of(to_north.y, to_north.x);
  const edge<Real> south = edge_of(to_south.y, to_south.x);
  return Real(.25) * (east.q + north.q + west.q + south.q) *
         (ih.x * (east.flux - west.flux) + ih.y * (north.flux - south.flux));
}

// The flux of (53) through an edge, from its 1/Q and the slopes along and across it.
template <class Real>
__device__ inline Real willmore_flux(Real u_along, Real u_across, Real inverse, Real w_along, Real w_across,
                                     Real w) {
  const Real across = 1 + u_across * u_across;
  const Real flux = across * w_along - u_along * (u_across * w_across + Real(.5) * w * w);
  return flux * (inverse * inverse) * inverse;
}

// The same with the edge's Q.
template <class Real>
__device__ inline edge<Real> willmore_edge(Real u_along, Real u_across, Real w_along, Real w_across, Real w) {
  const Real square = 1 + u_across * u_across + u_along * u_along;
  const Real inverse = inverse_root(square);
  return {willmore_flux(u_along, u_across, inverse, w_along, w_across, w), square * inverse};
}

// Same as willmore_at().
template <class Real, class Field, class Curvature>
__device__ inline Real willmore_bending_at(const Field& u, const Curvature& w, inverse_steps<Real> ih) {
  const auto along_x = [&](int dx) {
    const slope<Real> of_u = slope_east(u, dx, ih);
    const slope<Real> of_w = slope_east(w, dx, ih);
    return willmore_edge(of_u.x, of_u.y, of_w.x, of_w.y, Real(.5) * (w(dx, 0) + w(dx + 1, 0)));
  };
  const auto along_y = [&](int dy) {
    const slope<Real> of_u = slope_north(u, dy, ih);
    const slope<Real> of_w = slope_north(w, dy, ih);
    return willmore_edge(of_u.y, of_u.x, of_w.y, of_w.x, Real(.5) * (w(0, dy) + w(0, dy + 1)));
  };
  const edge<Real> east = along_x(0);
  const edge<Real> west = along_x(-1);
  const edge<Real> north = along_y(0);
  const edge<Real> south = along_y(-1);
  return -Real(.25) * (east.q + north.q + west.q + south.q) *
         (ih.x * (east.flux - west.flux) + ih.y * (north.flux - south.flux));
}

// What a node's w and its rate under the Willmore flow need of u, for a node that keeps it in between.
template <class Real>
struct node_shape {
  struct edge_shape {
    Real along, across, inverse;  // slopes, and 1/Q
  };
  edge_shape east, west, north, south;
  Real stretch;  // the mean of the edges' Q
};

template <class Real, class Field>
__device__ inline node_shape<Real> shape_at(const Field& u, inverse_steps<Real> ih) {
  Real sum = 0;
  const auto shape_of = [&](Real along, Real across) {
    const Real square = 1 + along * along + across * across;
    const Real inverse = inverse_root(square);
    sum += square * inverse;
    return typename node_shape<Real>::edge_shape{along, across, inverse};
  };
  const slope<Real> to_east = slope_east(u, 0, ih);
  const slope<Real> to_west = slope_east(u, -1, ih);
  const slope<Real> to_north = slope_north(u, 0, ih);
  const slope<Real> to_south = slope_north(u, -1, ih);
  node_shape<Real> all;
  all.east = shape_of(to_east.x, to_east.y);
  all.west = shape_of(to_west.x, to_west.y);
  all.north = shape_of(to_north.y, to_north.x);
  all.south = shape_of(to_south.y, to_south.x);
  all.stretch = Real(.25) * sum;
  return all;
}

// Same as bending_at().
template <class Real>
__device__ inline Real bending_of(const node_shape<Real>& u, inverse_steps<Real> ih) {
  return u.stretch * (ih.x * (u.east.along * u.east.inverse - u.west.along * u.west.inverse) +
                      ih.y * (u.north.along * u.north.inverse - u.south.along * u.south.inverse));
}

// Same as willmore_bending_at().
template <class Real, class Curvature>
__device__ inline Real willmore_bending_of(const node_shape<Real>& u, const Curvature& w,
                                           inverse_steps<Real> ih) {
  const auto through = [&](const auto& edge, Real along, Real across, int dx, int dy) {
    return willmore_flux(edge.along, edge.across, edge.inverse, along, across,
                         Real(.5) * (w(0, 0) + w(dx, dy)));
  };
  const slope<Real> to_east = slope_east(w, 0, ih);
  const slope<Real> to_west = slope_east(w, -1, ih);
  const slope<Real> to_north = slope_north(w, 0, ih);
  const slope<Real> to_south = slope_north(w, -1, ih);
  return -u.stretch * (ih.x * (through(u.east, to_east.x, to_east.y, 1, 0) -
                               through(u.west, to_west.x, to_west.y, -1, 0)) +
                       ih.y * (through(u.north, to_north.y, to_north.x, 0, 1) -
                               through(u.south, to_south.y, to_south.x, 0, -1)));
}

// Same as forcing_mean_curvature(), with factors that are constant along a column multiplied beforehand.
template <class Real>
struct column_forcing {
  Real x0, x1, x2, rate;

  __device__ void prepare(const profile<Real>& x, phase<Real> at) {
    x0 = at.c * x.d[0];
    x1 = at.c * x.d[1];
    x2 = at.c * x.d[2];
    rate = at.rate * x.d[0];
  }

  __device__ Real operator()(const profile<Real>& y) const {
    const Real zx = x1 * y.d[0];
    const Real zy = x0 * y.d[1];
    const Real zxx = x2 * y.d[0];
    const Real zyy = x0 * y.d[2];
    const Real inverse = inverse_root(1 + zx * zx + zy * zy);
    const Real a = zx * (zx * zxx + 2 * zy * (x1 * y.d[1])) + zy * zy * zyy;
    return rate * y.d[0] - (zxx + zyy - a * (inverse * inverse));
  }
};

// The forcing of either flow at one node.
template <flow motion, class Real>
__device__ inline Real forcing_at(const profile<Real>& x, const profile<Real>& y, phase<Real> at) {
  if constexpr (motion == flow::willmore) {
    return forcing_willmore(x, y, at);
  } else {
    column_forcing<Real> along;
    along.prepare(x, at);
    return along(y);
  }
}

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::curvature
