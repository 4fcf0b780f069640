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

// Sets negative values to 0. A NaN stays.
template <class Real>
long long clip(column<Real>& u) {
  const auto negative = (u.array() < 0).count();
  u = (u.array() < 0).select(Real(0), u);
  return static_cast<long long>(negative);
}

using real = long double;

// What becomes of the mass of C in a run.
class mass_account {
 public:
  mass_account(const problem& p, const column<real>& u)
      : nodes_(p.nodes),
        growth_(static_cast<real>(p.dt) * static_cast<real>(p.parameters.k1)),
        weights_(cell_lengths<real>(p.nodes)),
        start_(mass(u)) {}

  void add_step(const column<real>& before, const column<real>& unclipped) {
    const column<real> c = before.head(nodes_), next = unclipped.head(nodes_);
    explained_ += growth_ * weights_.dot(c - c.cwiseProduct(c));
    explained_ -= weights_.dot(column<real>((next.array() < 0).select(next, real(0))));
  }
  double defect(const column<real>& u) const {
    const real now = mass(u);
    return static_cast<double>((now - start_ - explained_) / now);
  }

 private:
  real mass(const column<real>& u) const { return weights_.dot(u.head(nodes_)); }

  int nodes_;
  real growth_;
  column<real> weights_;
  real start_, explained_{};
};

// The operators of the paper's step.
class precise_step {
 public:
  precise_step(const problem& p, source forcing)
      : what_(p), add_(std::move(forcing)), b_(explicit_matrix(p).cast<real>()), a_(p), n_(what_) {}
  precise_step(const precise_step&) = delete;
  precise_step& operator=(const precise_step&) = delete;

  // The step number `step`, counted from 0, before its last operation, the clipping.
  column<real> unclipped(const column<real>& u, long step) const {
    const auto dt = static_cast<real>(what_.dt);
    column<real> rate = n_(u);
    if (add_) rate += add_(static_cast<double>(step) * what_.dt).cast<real>();
    return a_.solve(b_ * u + dt * rate);
  }

 private:
  problem what_;
  source add_;
  operator_matrix<real> b_;
  structured<real> a_;
  nonlinear<real> n_;  // refers to what_
};

}  // namespace

struct repeated_steps::parts {
  parts(const problem& p, source add) : step(p, std::move(add)) {}

  precise_step step;
};

repeated_steps::repeated_steps(const problem& p, source add)
    : parts_(std::make_unique<parts>(p, std::move(add))) {}
repeated_steps::~repeated_steps() = default;

state repeated_steps::after(const state& u, long first, long count) const {
  column<real> now = u.cast<real>();
  for (long s = 0; s < count; ++s) {
    now = parts_->step.unclipped(now, first + s);
    clip(now);
  }
  return now.cast<double>();
}

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

stepped steps_precisely(const problem& p, int count, const source& add) {
  // Far above what rounding moves a value by, far below the values that matter.
  constexpr real uncertain = 1e-9L;
  column<real> u = initial<real>(p);
  const precise_step step(p, add);
  mass_account account(p, u);
  stepped run;
  for (int s = 0; s < count; ++s) {
    column<real> next = step.unclipped(u, s);
    account.add_step(u, next);
    run.near_zero += (next.array().abs() < uncertain).count();
    for (const real value : next)
      if (value < run.least) run.least = static_cast<double>(value);
    run.clipped += clip(next);
    u = next;
  }
  run.u = u.cast<double>();
  run.mass_defect = account.defect(u);
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
