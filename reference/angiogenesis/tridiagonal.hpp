// SPDX-License-Identifier: MIT
// Solves A x = b field by field by elimination from the first row down, in any precision.
#pragma once

#include "reference/angiogenesis/operators.hpp"

namespace reprise::reference::angiogenesis {

// The tridiagonal matrix of one field: 1 + 2r + s on the diagonal, -r beside it,
// -2r in the first and last row.
template <class Real>
class diffusing_field {
 public:
  diffusing_field(int nodes, Real r, Real s) : r_(r), pivot_(nodes) {
    const Real diagonal = 1 + 2 * r + s;
    pivot_(0) = diagonal;
    for (int i = 1; i < nodes; ++i) pivot_(i) = diagonal - below(i, nodes) * above(i - 1) / pivot_(i - 1);
  }

  column<Real> solve(column<Real> x) const {
    const auto nodes = static_cast<int>(x.size());
    for (int i = 1; i < nodes; ++i) x(i) += below(i, nodes) / pivot_(i - 1) * x(i - 1);
    x(nodes - 1) /= pivot_(nodes - 1);
    for (int i = nodes - 2; i >= 0; --i) x(i) = (x(i) + above(i) * x(i + 1)) / pivot_(i);
    return x;
  }

  // The pivot of row i in elimination without row swaps.
  Real pivot(int i) const { return pivot_(i); }
  Real r() const { return r_; }

 private:
  Real below(int i, int nodes) const { return i + 1 == nodes ? 2 * r_ : r_; }
  Real above(int i) const { return i == 0 ? 2 * r_ : r_; }

  Real r_;
  column<Real> pivot_;
};

template <class Real>
class structured {
 public:
  explicit structured(const problem& p)
      : nodes_(p.nodes),
        c_(p.nodes, ratio(p, p.parameters.d_c), 0),
        p_(p.nodes, ratio(p, p.parameters.d_p), Real(p.dt) * Real(p.parameters.k6) / 2),
        i_(p.nodes, ratio(p, p.parameters.d_i), 0),
        production_(Real(p.dt) / 2 * Real(p.parameters.k4) * tumour_factor<Real>(p).value) {}

  column<Real> solve(const column<Real>& b) const {
    const int m = nodes_;
    column<Real> x(4 * m);
    x.segment(0, m) = c_.solve(b.segment(0, m));
    x.segment(m, m) = p_.solve(b.segment(m, m) + production_.cwiseProduct(column<Real>(x.segment(0, m))));
    x.segment(2 * m, m) = i_.solve(b.segment(2 * m, m));
    x.segment(3 * m, m) = b.segment(3 * m, m);
    return x;
  }

  const diffusing_field<Real>& block(int b) const { return b == 0 ? c_ : b == 1 ? p_ : i_; }

 private:
  static Real ratio(const problem& p, double d) {
    const Real cells = p.nodes - 1;
    return Real(p.dt) * Real(d) / 2 * cells * cells;
  }

  int nodes_;
  diffusing_field<Real> c_, p_, i_;
  column<Real> production_;
};

}  // namespace reprise::reference::angiogenesis
