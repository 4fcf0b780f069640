// SPDX-License-Identifier: MIT
// Time integration of the tissue: fixed and controlled steps through Boost.odeint, and a direct transcription
// of the two methods for gates. Place: section 3.2.
#include <omp.h>

#include <algorithm>
#include <boost/array.hpp>
#include <boost/fusion/container/generation/make_vector.hpp>
#include <boost/numeric/odeint/external/openmp/openmp_range_algebra.hpp>
#include <boost/numeric/odeint/stepper/controlled_runge_kutta.hpp>
#include <boost/numeric/odeint/stepper/euler.hpp>
#include <boost/numeric/odeint/stepper/explicit_generic_rk.hpp>
#include <boost/numeric/odeint/stepper/generation.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta4.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_dopri5.hpp>
#include <cmath>
#include <functional>
#include <limits>

#include "reference/tissue/reference.hpp"
#include "reference/tissue/semi_discrete.hpp"

namespace reprise::reference::tissue {
namespace {

namespace odeint = boost::numeric::odeint;
using values = flat_state<double>;

void require_positive(double number, const char* name) {
  if (!(number > 0) || std::isinf(number))
    throw std::invalid_argument(std::string(name) + " is " + std::to_string(number) +
                                " and has to be a positive number");
}

odeint::explicit_generic_rk<2, 2, values> make_heun() {
  const boost::array<double, 1> second{{1}};
  const boost::array<double, 2> result{{.5, .5}};
  const boost::array<double, 2> times{{0, 1}};
  return {boost::fusion::make_vector(second), result, times};
}

template <class Stepper, class Real>
void take_steps(Stepper stepper, const semi_discrete<Real>& system, flat_state<Real>& z, Real dt,
                long count) {
  for (long n = 0; n < count; ++n) stepper.do_step(std::cref(system), z, static_cast<Real>(n) * dt, dt);
}

double advanced_gate(method m, line gate, double y, double dt) {
  if (m == method::implicit_euler) return (y + dt * gate.b) / (1 - dt * gate.a);
  const double target = -gate.b / gate.a;
  return target + (y - target) * std::exp(dt * gate.a);
}

void take_gated_steps(const problem& p, method m, const semi_discrete<double>& system, values& z, double dt,
                      long count) {
  const std::size_t cells = p.cells();
  values change;
  for (long n = 0; n < count; ++n) {
    system(z, change, 0);
    for (std::size_t k = 0; k < cells; ++k) {
      const std::array<line, 3> gates = gates_of(p, z[k]);
      for (std::size_t g = 0; g < gates.size(); ++g) {
        double& y = z[(g + 1) * cells + k];
        y = advanced_gate(m, gates[g], y, dt);
      }
      z[k] += dt * change[k];
    }
  }
}

// The time in which the fastest u crosses a quarter of a switch layer; NaN if a rate is NaN.
template <class Real>
Real time_in_layer(const problem& p, const flat_state<Real>& change) {
  const std::size_t cells = p.cells();
  Real fastest = 0;
  bool is_nan = false;
#pragma omp parallel for reduction(max : fastest) reduction(|| : is_nan) if (cells >= worth_threads)
  for (std::size_t k = 0; k < cells; ++k) {
    fastest = std::max(fastest, std::abs(change[k]));
    is_nan = is_nan || std::isnan(change[k]);
  }
  if (is_nan) return std::numeric_limits<Real>::quiet_NaN();
  return Real(.25) / (static_cast<Real>(p.steepness) * fastest);
}

// The steps before add up to `reached` in long double. In double this sum alone would be wrong by the rounding of
// thousands of additions: 8e-14 of FitzHugh-Nagumo's state at t = 10, more than the method's own error.
template <class Real, class Algebra>
state integrate_by(const problem& p, double t_end, double tolerance) {
  flat_state<Real> z = flatten<Real>(p, p.state0);
  const semi_discrete<Real> system(p);
  const auto allowed = static_cast<Real>(tolerance);
  auto stepper = odeint::make_controlled(
      allowed, allowed,
      odeint::runge_kutta_dopri5<flat_state<Real>, Real, flat_state<Real>, Real, Algebra>());
  const bool has_switches = p.model != reprise::tissue::model::fitzhugh_nagumo;
  flat_state<Real> change;  // the rate at z, which the method's last stage leaves
  system(z, change, 0);
  long double reached = 0;
  Real wanted = static_cast<Real>(std::min(t_end, paper::step_limit(p.model, method::euler, p.dx) / 2));
  while (reached < t_end) {
    if (has_switches) {
      const Real longest = time_in_layer(p, change);
      if (longest < wanted) wanted = longest;  // where a rate is NaN, the state keeps it to the end
    }
    const long double remaining = t_end - reached;
    const bool is_last = wanted >= remaining;
    Real t = 0;  // the system does not depend on time
    Real dt = is_last ? static_cast<Real>(remaining) : wanted;
    const Real tried = dt;
    const bool is_accepted = stepper.try_step(std::cref(system), z, change, t, dt) == odeint::success;
    if (is_last && is_accepted) break;
    if (is_accepted) reached += tried;
    wanted = dt;
    // The negated comparison also catches NaN.
    if (!(wanted > std::numeric_limits<double>::epsilon() * t_end))
      throw std::runtime_error("the step of the reference has become too small at t = " +
                               std::to_string(reached));
  }
  return unflatten(p, z);
}

template <class Real>
state integrate_in(const problem& p, double t_end, double tolerance) {
  require_positive(t_end, "the end");
  require_positive(tolerance, "the tolerance");
  if (p.cells() < worth_threads) return integrate_by<Real, odeint::range_algebra>(p, t_end, tolerance);
  // By its own choice, libgomp would give the threads of odeint's loops one value at a time.
  omp_set_schedule(omp_sched_static, 0);
  return integrate_by<Real, odeint::openmp_range_algebra>(p, t_end, tolerance);
}

}  // namespace

state steps(const problem& p, method m, double dt, long count) {
  require_positive(dt, "the step");
  if (!has_method(p.model, m))
    throw std::invalid_argument(std::string(to_string(p.model)) + " has no " + std::string(to_string(m)));
  values z = flatten<double>(p, p.state0);
  const semi_discrete<double> system(p);
  switch (m) {
    case method::euler:
      take_steps(odeint::euler<values>(), system, z, dt, count);
      break;
    case method::heun:
      take_steps(make_heun(), system, z, dt, count);
      break;
    case method::runge_kutta:
      take_steps(odeint::runge_kutta4<values>(), system, z, dt, count);
      break;
    case method::implicit_euler:
    case method::rush_larsen:
      take_gated_steps(p, m, system, z, dt, count);
      break;
  }
  return unflatten(p, z);
}

state integrate(const problem& p, double t_end, double tolerance) {
  return integrate_in<double>(p, t_end, tolerance);
}

state integrate_in_long_double(const problem& p, double t_end, double tolerance) {
  return integrate_in<long double>(p, t_end, tolerance);
}

state integrate_precisely(const problem& p, double t_end, double dt) {
  require_positive(t_end, "the end");
  require_positive(dt, "the step");
  using real = long double;
  // The factor avoids an extra step where rounding lifts the quotient just above an integer.
  const long count = std::max(1L, std::lround(std::ceil(t_end / dt * (1 - 1e-12))));
  flat_state<real> z = flatten<real>(p, p.state0);
  take_steps(odeint::runge_kutta4<flat_state<real>, real>(), semi_discrete<real>(p), z,
             static_cast<real>(t_end) / static_cast<real>(count), count);
  return unflatten(p, z);
}

}  // namespace reprise::reference::tissue
