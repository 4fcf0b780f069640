// SPDX-License-Identifier: MIT
// The difference operators as sparse matrices, N(U) as products with them, in any precision, and the
// right-hand side made of them. Place: section 3.
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <cmath>

#include "solvers/angiogenesis/problem.hpp"

namespace reprise::reference::angiogenesis {

using problem = reprise::angiogenesis::problem;
using reprise::angiogenesis::field;
using reprise::angiogenesis::taxis;

using sparse = Eigen::SparseMatrix<double, Eigen::RowMajor>;
using state = Eigen::VectorXd;  // C, P, I, F

// All functions throw std::invalid_argument if a state does not have the problem's length, or if an end time
// or a tolerance is not positive.

sparse linear_operator(const problem& p);                // L
sparse implicit_matrix(const problem& p);                // A
sparse explicit_matrix(const problem& p);                // B
state nonlinear_rate(const problem& p, const state& u);  // N(U)
state rate(const problem& p, const state& u);            // L U + N(U)

// The integral of one field by the composite trapezoidal rule.
double mass(const problem& p, const state& u, field which);
// Rate at which L and N change the mass of C, without the reaction k1 C (1 - C).
// Zero for a conservative scheme.
double mass_source_of_taxis(const problem& p, const state& u);

template <class Real>
using column = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
template <class Real>
using operator_matrix = Eigen::SparseMatrix<Real, Eigen::RowMajor>;

// Slopes (u[i+1] - u[i]) / h at the M - 1 half points.
template <class Real>
operator_matrix<Real> half_point_slopes(int nodes) {
  operator_matrix<Real> d(nodes - 1, nodes);
  for (int i = 0; i + 1 < nodes; ++i) {
    d.insert(i, i) = -Real(nodes - 1);
    d.insert(i, i + 1) = Real(nodes - 1);
  }
  return d;
}

// Means of the two neighbouring nodes at the half points.
template <class Real>
operator_matrix<Real> half_point_means(int nodes) {
  operator_matrix<Real> mean(nodes - 1, nodes);
  for (int i = 0; i + 1 < nodes; ++i) {
    mean.insert(i, i) = Real(.5);
    mean.insert(i, i + 1) = Real(.5);
  }
  return mean;
}

// Lengths of the nodes' cells, which are the weights of the trapezoidal rule.
template <class Real>
column<Real> cell_lengths(int nodes) {
  column<Real> w = column<Real>::Constant(nodes, 1 / Real(nodes - 1));
  w(0) /= 2;
  w(nodes - 1) /= 2;
  return w;
}

// Net outflow per length of each node's cell, from fluxes at the half points: (flux[i] - flux[i-1]) / length.
// The matrix is minus the transposed slopes times h over the cell's length.
template <class Real>
operator_matrix<Real> divergence(int nodes) {
  const column<Real> inverse = cell_lengths<Real>(nodes).cwiseInverse() / Real(nodes - 1);
  const operator_matrix<Real> transposed = half_point_slopes<Real>(nodes).transpose();
  return -(inverse.asDiagonal() * transposed);
}

// Centred slopes; zero at the two end nodes.
template <class Real>
operator_matrix<Real> centred_slopes(int nodes) {
  operator_matrix<Real> g(nodes, nodes);
  for (int i = 1; i + 1 < nodes; ++i) {
    g.insert(i, i - 1) = -Real(nodes - 1) / 2;
    g.insert(i, i + 1) = Real(nodes - 1) / 2;
  }
  return g;
}

// Values of T at the nodes, and its analytic derivatives T_x and T_xx.
template <class Real>
struct tumour_factor {
  explicit tumour_factor(const problem& p) : value(p.nodes), x(p.nodes), xx(p.nodes) {
    const Real eps = p.parameters.eps;
    for (int i = 0; i < p.nodes; ++i) {
      const Real from_tumour = 1 - Real(i) / Real(p.nodes - 1);
      value(i) = std::exp(-from_tumour * from_tumour / eps);
      x(i) = 2 * from_tumour / eps * value(i);
      xx(i) = 4 * from_tumour * from_tumour / (eps * eps) * value(i) - 2 / eps * value(i);
    }
  }
  column<Real> value, x, xx;
};

// The nonlinear part N(U) of the right-hand side.
template <class Real>
class nonlinear {
 public:
  explicit nonlinear(const problem& p)
      : p_(&p),
        t_(p),
        slopes_(half_point_slopes<Real>(p.nodes)),
        means_(half_point_means<Real>(p.nodes)),
        divergence_(divergence<Real>(p.nodes)),
        g_(centred_slopes<Real>(p.nodes)) {}

  column<Real> operator()(const column<Real>& u) const {
    const int m = p_->nodes;
    const auto& with = p_->parameters;
    const column<Real> c = u.segment(0, m), p = u.segment(m, m), i = u.segment(2 * m, m),
                       f = u.segment(3 * m, m);
    const column<Real> binding = Real(with.k3) * p.cwiseProduct(i);
    column<Real> n(4 * m);
    n << taxis_of(Real(with.a2) * c, i) - taxis_of(Real(with.a1) * c, f) - towards_tumour(c) +
             Real(with.k1) * (c - c.cwiseProduct(c)),
        Real(with.k5) * t_.value - binding, -binding, -Real(with.k2) * p.cwiseProduct(f);
    return n;
  }

 private:
  // (sensitivity * u_x)_x
  column<Real> taxis_of(const column<Real>& sensitivity, const column<Real>& u) const {
    const column<Real> slope = slopes_ * u;
    if (p_->reading == taxis::conservative)
      return divergence_ * column<Real>((means_ * sensitivity).cwiseProduct(slope));
    const column<Real> laplacian = divergence_ * slope;
    return column<Real>(g_ * sensitivity).cwiseProduct(g_ * u) + sensitivity.cwiseProduct(laplacian);
  }

  column<Real> towards_tumour(const column<Real>& c) const {
    const Real a3 = p_->parameters.a3, a4 = p_->parameters.a4;
    const column<Real> saturation = (1 + a4 * t_.value.array()).matrix();
    if (p_->reading != taxis::analytic) return taxis_of(a3 * c.cwiseQuotient(saturation), t_.value);
    const column<Real> psi = t_.x.cwiseQuotient(saturation);
    const column<Real> psi_x = t_.xx.cwiseQuotient(saturation) - a4 * psi.cwiseProduct(psi);
    return a3 * (psi_x.cwiseProduct(c) + psi.cwiseProduct(g_ * c));
  }

  const problem* p_;
  tumour_factor<Real> t_;
  operator_matrix<Real> slopes_, means_, divergence_, g_;
};

}  // namespace reprise::reference::angiogenesis
