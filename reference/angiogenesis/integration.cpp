// SPDX-License-Identifier: MIT
// Time integration: the paper's steps in double (Eigen's LU) and in long double, and Boost.odeint's Fehlberg
// method on the semi-discrete system. Place: section 3.1, Algorithm 1.
#include "reference/angiogenesis/integration.hpp"

#include <Eigen/SparseLU>
#include <algorithm>
#include <boost/numeric/odeint/integrate/integrate_adaptive.hpp>
#include <boost/numeric/odeint/stepper/controlled_runge_kutta.hpp>
#include <boost/numeric/odeint/stepper/generation.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_fehlberg78.hpp>
#include <stdexcept>

#include "reference/angiogenesis/tridiagonal.hpp"

namespace reprise::reference::angiogenesis {
namespace {

template <class Real>
column<Real> initial(const problem& p) {
  if (p.u0.size() != static_cast<std::size_t>(p.unknowns()))
    throw std::invalid_argument("the problem has no initial state");
  return Eigen::Map<const state>(p.u0.data(), p.unknowns()).template cast<Real>();
}

template <class Real>
long long clip(column<Real>& u) {
  const auto negative = (u.array() < 0).count();
  u = u.cwiseMax(Real(0));
  return static_cast<long long>(negative);
}

}  // namespace

stepped steps(const problem& p, int count, const source& add) {
  const sparse b = explicit_matrix(p);
  const Eigen::SparseMatrix<double> a = implicit_matrix(p);
  const Eigen::SparseLU<Eigen::SparseMatrix<double>> lu(a);
  const nonlinear<double> n(p);
  stepped run{.u = initial<double>(p)};
  for (int s = 0; s < count; ++s) {
    state explicit_rate = n(run.u);
    if (add) explicit_rate += add(s * p.dt);
    const state right = b * run.u + p.dt * explicit_rate;
    run.u = lu.solve(right);
    run.clipped += clip(run.u);
  }
  return run;
}

stepped steps_precisely(const problem& p, int count) {
  using real = long double;
  const operator_matrix<real> b = explicit_matrix(p).cast<real>();
  const structured<real> a(p);
  const nonlinear<real> n(p);
  column<real> u = initial<real>(p);
  stepped run;
  for (int s = 0; s < count; ++s) {
    u = a.solve(b * u + static_cast<real>(p.dt) * n(u));
    run.clipped += clip(u);
  }
  run.u = u.cast<double>();
  return run;
}

state integrate(const problem& p, double t_end, double tolerance) {
  if (!(t_end > 0) || !(tolerance > 0))
    throw std::invalid_argument("the end and the tolerance have to be positive");
  using values = std::vector<double>;
  const sparse l = linear_operator(p);
  const nonlinear<double> n(p);
  const auto change = [&](const values& u, values& du_dt, double) {
    const Eigen::Map<const state> now(u.data(), p.unknowns());
    Eigen::Map<state>(du_dt.data(), p.unknowns()) = l * now + n(now);
  };
  const state start = initial<double>(p);
  values u(start.data(), start.data() + start.size());
  namespace odeint = boost::numeric::odeint;
  const double fastest = std::max({p.parameters.d_c, p.parameters.d_p, p.parameters.d_i});
  const double first_step = std::min(t_end, .25 * p.h() * p.h() / std::max(fastest, 1e-9));
  odeint::integrate_adaptive(
      odeint::make_controlled(tolerance, tolerance, odeint::runge_kutta_fehlberg78<values>()), change, u, 0.0,
      t_end, std::min(first_step, t_end / 4));
  return Eigen::Map<const state>(u.data(), p.unknowns());
}

}  // namespace reprise::reference::angiogenesis
