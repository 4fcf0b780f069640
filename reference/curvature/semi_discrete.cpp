// SPDX-License-Identifier: MIT
// The complementary finite volume scheme as fluxes through edges and their balances, in whole-array
// operations. Place: (17)-(25), (36)-(53), with the signs that the equations need. With nodes i = 0 ... a,
// j = 0 ... b, the edges that touch an inner node are a x (b - 1) in x ("east") and (a - 1) x b in y
// ("north"). There are a x b corners, the centres of the grid's cells.
#include "reference/curvature/semi_discrete.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "reference/curvature/manufactured.hpp"
#include "reference/curvature/paper.hpp"
#include "reference/curvature/surface.hpp"

namespace reprise::reference::curvature {
namespace {

using Eigen::ArrayXXd;
using reprise::curvature::boundary;
using reprise::curvature::flow;

struct vectors {
  ArrayXXd x, y;
};

// A field's gradient and mean at the midpoints of all edges of one direction.
struct edges {
  vectors slope;
  ArrayXXd mean;
};

struct both {
  edges east, north;
};

// Differences between neighbours in x or in y, and means of neighbours.
ArrayXXd step_x(const ArrayXXd& f) {
  return f.bottomRows(f.rows() - 1) - f.topRows(f.rows() - 1);
}
ArrayXXd step_y(const ArrayXXd& f) {
  return f.rightCols(f.cols() - 1) - f.leftCols(f.cols() - 1);
}
ArrayXXd mean_x(const ArrayXXd& f) {
  return (f.bottomRows(f.rows() - 1) + f.topRows(f.rows() - 1)) / 2;
}
ArrayXXd mean_y(const ArrayXXd& f) {
  return (f.rightCols(f.cols() - 1) + f.leftCols(f.cols() - 1)) / 2;
}

// The slope across an edge comes from its two nodes. The slope along it comes from the corners on its two
// sides, each of which is a mean of four nodes.
both edges_of(const problem& p, const ArrayXXd& f) {
  const ArrayXXd inner_columns = f.middleCols(1, f.cols() - 2);
  const ArrayXXd inner_rows = f.middleRows(1, f.rows() - 2);
  const ArrayXXd corners = mean_y(mean_x(f));
  return {.east = {.slope = {step_x(inner_columns) / spacing_x(p), step_y(corners) / spacing_y(p)},
                   .mean = mean_x(inner_columns)},
          .north = {.slope = {step_x(corners) / spacing_x(p), step_y(inner_rows) / spacing_y(p)},
                    .mean = mean_y(inner_rows)}};
}

ArrayXXd stretch(const vectors& slope) {
  return (1 + slope.x.square() + slope.y.square()).sqrt();
}

// Net outflow of every inner node's cell, per area.
ArrayXXd divergence(const problem& p, const ArrayXXd& through_east, const ArrayXXd& through_north) {
  return step_x(through_east) / spacing_x(p) + step_y(through_north) / spacing_y(p);
}

// The geometry of a surface. Q is given on edges and, as the mean of the four edges, at
// inner nodes; H at inner nodes.
struct geometry {
  both edge;
  ArrayXXd q_east, q_north, q, h;
};

geometry geometry_of(const problem& p, const ArrayXXd& u) {
  geometry g;
  g.edge = edges_of(p, u);
  g.q_east = stretch(g.edge.east.slope);
  g.q_north = stretch(g.edge.north.slope);
  g.q = (mean_x(g.q_east) + mean_y(g.q_north)) / 2;
  g.h = divergence(p, g.edge.east.slope.x / g.q_east, g.edge.north.slope.y / g.q_north);
  return g;
}

void copy_inner_neighbours(Eigen::Ref<ArrayXXd> f) {
  const Eigen::Index a = f.rows() - 1;
  const Eigen::Index b = f.cols() - 1;
  f.row(0) = f.row(1);
  f.row(a) = f.row(a - 1);
  f.col(0) = f.col(1);
  f.col(b) = f.col(b - 1);
}

// The flux (grad w - p (p . grad w) / Q^2) / Q - w^2 / (2 Q^3) p on edges. `pull`
// first sums the factors of p.
vectors willmore_flux(const vectors& slope, const ArrayXXd& q, const edges& w) {
  const ArrayXXd pull = (slope.x * w.slope.x + slope.y * w.slope.y + w.mean.square() / 2) / q.square();
  return {(w.slope.x - pull * slope.x) / q, (w.slope.y - pull * slope.y) / q};
}

// Evaluates a field at the inner nodes, one strip of columns at a time. strip(f, n) reads n + 2 node columns
// from column f on and returns the values at the n columns between the outer two. The arrays of one strip fit
// in the cache, and the strips are shared among the threads.
template <class Strip>
ArrayXXd in_strips(const problem& p, Strip strip) {
  constexpr int width = 16;
  ArrayXXd inner(p.nodes_x() - 2, p.nodes_y() - 2);
#pragma omp parallel for if (p.nodes() >= worth_threads)
  for (int first = 0; first < p.nodes_y() - 2; first += width) {
    const int columns = std::min(width, p.nodes_y() - 2 - first);
    inner.middleCols(first, columns) = strip(first, columns);
  }
  return inner;
}

// w = Q H at the inner nodes, (22).
ArrayXXd curvature_of(const problem& p, const Eigen::Ref<const ArrayXXd>& u) {
  return in_strips(p, [&](int first, int columns) -> ArrayXXd {
    const geometry g = geometry_of(p, u.middleCols(first, columns + 2));
    return g.q * g.h;
  });
}

ArrayXXd willmore_rate(const problem& p, const Eigen::Ref<const ArrayXXd>& u) {
  ArrayXXd w = ArrayXXd::Zero(p.nodes_x(), p.nodes_y());
  w.block(1, 1, p.nodes_x() - 2, p.nodes_y() - 2) = curvature_of(p, u);
  if (p.boundary == boundary::neumann) copy_inner_neighbours(w);
  return in_strips(p, [&](int first, int columns) -> ArrayXXd {
    const geometry g = geometry_of(p, u.middleCols(first, columns + 2));
    const both w_edge = edges_of(p, w.middleCols(first, columns + 2));
    return -g.q * divergence(p, willmore_flux(g.edge.east.slope, g.q_east, w_edge.east).x,
                             willmore_flux(g.edge.north.slope, g.q_north, w_edge.north).y);
  });
}

void impose_border_on(const problem& p, double t, Eigen::Ref<ArrayXXd> nodes) {
  if (p.boundary == boundary::neumann) {
    copy_inner_neighbours(nodes);
    return;
  }
  const auto initial = on_grid(p, p.u0);
  const auto impose = [&](int i, int j) {
    nodes(i, j) = p.boundary == boundary::dirichlet ? initial(i, j) : exact_at(x_at(p, i), y_at(p, j), t);
  };
  for (int i = 0; i < p.nodes_x(); ++i) {
    impose(i, 0);
    impose(i, p.cells_y);
  }
  for (int j = 0; j < p.nodes_y(); ++j) {
    impose(0, j);
    impose(p.cells_x, j);
  }
}

// Puts the rate in place of the surface.
void become_rate(const problem& p, double t, Eigen::Ref<ArrayXXd> u) {
  impose_border_on(p, t, u);
  const ArrayXXd inner = p.flow == flow::mean_curvature ? curvature_of(p, u) : willmore_rate(p, u);
#pragma omp parallel for if (p.nodes() >= worth_threads)
  for (Eigen::Index j = 0; j < inner.cols(); ++j) u.col(j + 1).segment(1, inner.rows()) = inner.col(j);
  add_forcing(p, t, u);
  u.row(0) = 0;
  u.row(u.rows() - 1) = 0;
  u.col(0) = 0;
  u.col(u.cols() - 1) = 0;
}

}  // namespace

void impose_border(const problem& p, double t, std::vector<double>& u) {
  impose_border_on(p, t, on_grid(p, u));
}

std::vector<double> rate(const problem& p, double t, std::vector<double> u) {
  become_rate(p, t, on_grid(p, u));
  return u;
}

Eigen::ArrayXd rate(const problem& p, double t, Eigen::ArrayXd u) {
  become_rate(p, t, on_grid(p, u));
  return u;
}

double area(const problem& p, const std::vector<double>& u) {
  const auto nodes = on_grid(p, u);
  const ArrayXXd in_x = step_x(nodes) / spacing_x(p);
  const ArrayXXd in_y = step_y(nodes) / spacing_y(p);
  const double near = .5 - .5 / std::sqrt(3.0);
  double sum = 0;
  for (double s : {near, 1 - near})
    for (double r : {near, 1 - near}) {
      const vectors slope{in_x.leftCols(p.cells_y) * (1 - r) + in_x.rightCols(p.cells_y) * r,
                          in_y.topRows(p.cells_x) * (1 - s) + in_y.bottomRows(p.cells_x) * s};
      sum += stretch(slope).sum() / 4;
    }
  return sum * spacing_x(p) * spacing_y(p);
}

double willmore_energy(const problem& p, const std::vector<double>& u) {
  const geometry g = geometry_of(p, on_grid(p, u));
  return (g.h.square() * g.q).sum() * spacing_x(p) * spacing_y(p);
}

}  // namespace reprise::reference::curvature
