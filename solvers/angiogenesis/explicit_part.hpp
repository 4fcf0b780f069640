// SPDX-License-Identifier: MIT
// N(U), the explicit part of the scheme: reactions, and taxis in three interpretations. Place:
// section 3, Step 1 of Algorithm 1.
#pragma once

#include "solvers/angiogenesis/matrix.hpp"
#include "solvers/angiogenesis/problem.hpp"

namespace reprise::angiogenesis {

// (f u_x)_x at node i by the product rule. G is zero at both ends, and Lap mirrors the inner neighbour there.
inline double nodal_taxis(std::span<const double> f, std::span<const double> u, std::size_t i, double h) {
  const std::size_t last = u.size() - 1;
  if (i == 0) return f[0] * 2 * (u[1] - u[0]) / (h * h);
  if (i == last) return f[last] * 2 * (u[last - 1] - u[last]) / (h * h);
  return (f[i + 1] - f[i - 1]) / (2 * h) * ((u[i + 1] - u[i - 1]) / (2 * h)) +
         f[i] * ((u[i - 1] - 2 * u[i] + u[i + 1]) / (h * h));
}

// (f u_x)_x as a difference of fluxes through half points, where f is the mean of two nodes. An end node has
// half a cell, and the flux through the end is zero.
inline double conservative_taxis(std::span<const double> f, std::span<const double> u, std::size_t i,
                                 double h) {
  const std::size_t last = u.size() - 1;
  const double right = i == last ? 0 : (f[i] + f[i + 1]) / 2 * (u[i + 1] - u[i]);
  const double left = i == 0 ? 0 : (f[i - 1] + f[i]) / 2 * (u[i] - u[i - 1]);
  return (i == 0 || i == last ? 2 : 1) * (right - left) / (h * h);
}

class explicit_part {
 public:
  explicit explicit_part(const problem& p)
      : p_(p), t_(tumour_factor(p)), f_inhibitor_(t_.size()), f_matrix_(t_.size()), f_growth_(t_.size()) {
    for (std::size_t i = 0; i < t_.size(); ++i) {
      // psi = T_x / (1 + a4 T) and its derivative, with T_x = s T and s = 2 (1 - x) / eps.
      const double eps = p.parameters.eps;
      const double s = 2 * (1 - p.x(static_cast<int>(i))) / eps;
      const double share = t_[i] / (1 + p.parameters.a4 * t_[i]);
      psi_.push_back(s * share);
      psi_x_.push_back(share * (s * s / (1 + p.parameters.a4 * t_[i]) - 2 / eps));
    }
  }

  // Computes rate = N(U).
  void operator()(std::span<const double> u, std::span<double> rate) {
    const std::size_t m = t_.size();
    const auto c = u.first(m), p = u.subspan(m, m), i = u.subspan(2 * m, m), f = u.subspan(3 * m, m);
    const parameters& with = p_.parameters;
    for (std::size_t n = 0; n < m; ++n) {
      f_inhibitor_[n] = with.a2 * c[n];
      f_matrix_[n] = with.a1 * c[n];
      f_growth_[n] = with.a3 * c[n] / (1 + with.a4 * t_[n]);
    }
    const auto towards = rate.first(m);
    switch (p_.reading) {
      case taxis::nodal:
        add_up<nodal_taxis>(i, f, towards);
        break;
      case taxis::analytic:
        add_up<nodal_taxis>(i, f, towards);
        replace_growth(c, towards);
        break;
      case taxis::conservative:
        add_up<conservative_taxis>(i, f, towards);
        break;
    }
    for (std::size_t n = 0; n < m; ++n) {
      towards[n] += with.k1 * c[n] * (1 - c[n]);
      rate[m + n] = -with.k3 * p[n] * i[n] + with.k5 * t_[n];
      rate[2 * m + n] = -with.k3 * p[n] * i[n];
      rate[3 * m + n] = -with.k2 * p[n] * f[n];
    }
  }

 private:
  using term = double (*)(std::span<const double>, std::span<const double>, std::size_t, double);

  template <term Taxis>
  void add_up(std::span<const double> i, std::span<const double> f, std::span<double> rate) const {
    const double h = p_.h();
    const bool has_growth = p_.reading != taxis::analytic;
    for (std::size_t n = 0; n < rate.size(); ++n)
      rate[n] = Taxis(f_inhibitor_, i, n, h) - Taxis(f_matrix_, f, n, h) -
                (has_growth ? Taxis(f_growth_, t_, n, h) : 0);
  }

  // Subtracts a3 (psi C)_x = a3 (psi_x C + psi G C).
  void replace_growth(std::span<const double> c, std::span<double> rate) const {
    const std::size_t last = c.size() - 1;
    for (std::size_t n = 0; n <= last; ++n) {
      const double slope = n == 0 || n == last ? 0 : (c[n + 1] - c[n - 1]) / (2 * p_.h());
      rate[n] -= p_.parameters.a3 * (psi_x_[n] * c[n] + psi_[n] * slope);
    }
  }

  problem p_;
  std::vector<double> t_;
  std::vector<double> f_inhibitor_, f_matrix_, f_growth_;
  std::vector<double> psi_, psi_x_;
};

}  // namespace reprise::angiogenesis
