// SPDX-License-Identifier: MIT
// The complementary finite volume scheme at one node, for the host and for the device.
// Place: (36)-(53) of the appendix, (17) and (21) with the signs that the equations need: mean-curvature flow
// as in (17), Willmore flow with a minus sign that is missing in print in (21).
// A field is a function f(dx, dy) of the neighbour's offset.
#pragma once

#include <cmath>

#include "solvers/common/base/host_device.hpp"

namespace reprise::curvature {

// 1/h, computed beforehand as in the paper.
template <class Real>
struct inverse_steps {
  Real x, y;
};

// A gradient at the midpoint of an edge between two nodes.
template <class Real>
struct slope {
  Real x, y;
};

// The edge from node (dx, 0) to its eastern neighbour: (40), (42) with (44)-(47).
template <class Real, class Field>
REPRISE_HOST_DEVICE inline slope<Real> slope_east(const Field& f, int dx, inverse_steps<Real> ih) {
  return {(f(dx + 1, 0) - f(dx, 0)) * ih.x,
          (f(dx, 1) + f(dx + 1, 1) - f(dx, -1) - f(dx + 1, -1)) * (Real(.25) * ih.y)};
}

// The edge from node (0, dy) to its northern neighbour: (41), (43).
template <class Real, class Field>
REPRISE_HOST_DEVICE inline slope<Real> slope_north(const Field& f, int dy, inverse_steps<Real> ih) {
  return {(f(1, dy) + f(1, dy + 1) - f(-1, dy) - f(-1, dy + 1)) * (Real(.25) * ih.x),
          (f(0, dy + 1) - f(0, dy)) * ih.y};
}

// Q, (36)-(39).
template <class Real>
REPRISE_HOST_DEVICE inline Real stretch(slope<Real> g) {
  return std::sqrt(1 + g.x * g.x + g.y * g.y);
}

// w = Q H at a node, (48)-(50), which is also the whole right-hand side (17) without forcing.
template <class Real, class Field>
REPRISE_HOST_DEVICE inline Real curvature_at(const Field& u, inverse_steps<Real> ih) {
  const slope<Real> east = slope_east(u, 0, ih);
  const slope<Real> west = slope_east(u, -1, ih);
  const slope<Real> north = slope_north(u, 0, ih);
  const slope<Real> south = slope_north(u, -1, ih);
  const Real q_east = stretch(east);
  const Real q_west = stretch(west);
  const Real q_north = stretch(north);
  const Real q_south = stretch(south);
  const Real h = ih.x * (east.x / q_east - west.x / q_west) + ih.y * (north.y / q_north - south.y / q_south);
  return Real(.25) * (q_east + q_north + q_west + q_south) * h;
}

// Fluxes through an edge along x and along y: the components of E grad w - w^2/(2 Q^3) grad u, (53).
template <class Real>
REPRISE_HOST_DEVICE inline Real flux_x(slope<Real> u, slope<Real> w, Real w_edge, Real q) {
  const Real cube = q * q * q;
  return ((1 + u.y * u.y) * w.x - u.x * u.y * w.y - Real(.5) * w_edge * w_edge * u.x) / cube;
}

template <class Real>
REPRISE_HOST_DEVICE inline Real flux_y(slope<Real> u, slope<Real> w, Real w_edge, Real q) {
  const Real cube = q * q * q;
  return ((1 + u.x * u.x) * w.y - u.x * u.y * w.x - Real(.5) * w_edge * w_edge * u.y) / cube;
}

// The right-hand side (21) without forcing.
template <class Real, class Field, class Curvature>
REPRISE_HOST_DEVICE inline Real willmore_at(const Field& u, const Curvature& w, inverse_steps<Real> ih) {
  const slope<Real> east = slope_east(u, 0, ih);
  const slope<Real> west = slope_east(u, -1, ih);
  const slope<Real> north = slope_north(u, 0, ih);
  const slope<Real> south = slope_north(u, -1, ih);
  const Real q_east = stretch(east);
  const Real q_west = stretch(west);
  const Real q_north = stretch(north);
  const Real q_south = stretch(south);
  const Real here = w(0, 0);
  const Real f_east = flux_x(east, slope_east(w, 0, ih), Real(.5) * (here + w(1, 0)), q_east);
  const Real f_west = flux_x(west, slope_east(w, -1, ih), Real(.5) * (here + w(-1, 0)), q_west);
  const Real f_north = flux_y(north, slope_north(w, 0, ih), Real(.5) * (here + w(0, 1)), q_north);
  const Real f_south = flux_y(south, slope_north(w, -1, ih), Real(.5) * (here + w(0, -1)), q_south);
  return -Real(.25) * (q_east + q_north + q_west + q_south) *
         (ih.x * (f_east - f_west) + ih.y * (f_north - f_south));
}

}  // namespace reprise::curvature
