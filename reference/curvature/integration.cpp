// SPDX-License-Identifier: MIT
// Time integration of the semi-discrete system: Merson's tableau and Fehlberg's 7(8) through Boost.odeint,
// and a direct transcription of Algorithm 4.1. Place: (26)-(29).
#include "reference/curvature/integration.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <boost/array.hpp>
#include <boost/fusion/container/generation/make_vector.hpp>
#include <boost/numeric/odeint/integrate/integrate_adaptive.hpp>
#include <boost/numeric/odeint/stepper/controlled_runge_kutta.hpp>
#include <boost/numeric/odeint/stepper/explicit_error_generic_rk.hpp>
#include <boost/numeric/odeint/stepper/generation.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_fehlberg78.hpp>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "reference/curvature/semi_discrete.hpp"

namespace reprise::reference::curvature {
namespace {

namespace odeint = boost::numeric::odeint;
using surface = std::vector<double>;
using boost::array;
using Eigen::ArrayXd;

auto right_hand_side(const problem& p) {
  return [&p](const surface& u, surface& du_dt, double t) { du_dt = rate(p, t, u); };
}

using merson_stepper = odeint::explicit_error_generic_rk<5, 4, 4, 3, surface>;

merson_stepper make_merson() {
  const array<double, 1> second{{1.0 / 3}};
  const array<double, 2> third{{1.0 / 6, 1.0 / 6}};
  const array<double, 3> fourth{{1.0 / 8, 0, 3.0 / 8}};
  const array<double, 4> fifth{{1.0 / 2, 0, -3.0 / 2, 2}};
  const array<double, 5> result{{1.0 / 6, 0, 0, 4.0 / 6, 1.0 / 6}};
  const array<double, 5> error{{1.0 / 15, 0, -3.0 / 10, 4.0 / 15, -1.0 / 30}};
  const array<double, 5> times{{0, 1.0 / 3, 1.0 / 3, 1.0 / 2, 1}};
  return {boost::fusion::make_vector(second, third, fourth, fifth), result, error, times};
}

double largest_magnitude(const surface& f) {
  return Eigen::Map<const ArrayXd>(f.data(), static_cast<Eigen::Index>(f.size()))
      .abs()
      .maxCoeff<Eigen::PropagateNaN>();
}

Eigen::Map<const ArrayXd> flat(const surface& f) {
  return {f.data(), static_cast<Eigen::Index>(f.size())};
}

surface plus(const surface& u, const ArrayXd& change) {
  surface sum(u.size());
  Eigen::Map<ArrayXd>(sum.data(), change.size()) = flat(u) + change;
  return sum;
}

struct attempt {
  surface u;
  double error;
};

// One step of (26), (27) and (28) in the paper's notation, where the k_i include tau.
attempt merson_step(const problem& p, const surface& u, double t, double tau) {
  const auto k = [&](double at, const surface& v) { return ArrayXd(tau * flat(rate(p, at, v))); };
  const ArrayXd k1 = k(t, u);
  const ArrayXd k2 = k(t + tau / 3, plus(u, k1 / 3));
  const ArrayXd k3 = k(t + tau / 3, plus(u, (k1 + k2) / 6));
  const ArrayXd k4 = k(t + tau / 2, plus(u, k1 / 8 + 3 * k3 / 8));
  const ArrayXd k5 = k(t + tau, plus(u, k1 / 2 - 3 * k3 / 2 + 2 * k4));
  const ArrayXd e = (k1 / 5 - 9 * k3 / 10 + 4 * k4 / 5 - k5 / 10).abs() / 3;
  return {.u = plus(u, (k1 + 4 * k4 + k5) / 6), .error = e.maxCoeff<Eigen::PropagateNaN>()};
}

}  // namespace

stepped merson_steps(const problem& p, double tau, int count) {
  merson_stepper stepper = make_merson();
  stepped s{.u = p.u0};
  surface error(p.nodes());
  for (int n = 0; n < count; ++n) {
    stepper.do_step(right_hand_side(p), s.u, n * tau, tau, error);
    impose_border(p, (n + 1) * tau, s.u);
  }
  s.error = largest_magnitude(error);
  return s;
}

integrated integrate(const problem& p, double t_end, double tolerance) {
  integrated result{.u = p.u0};
  const double first_step = std::min(t_end, reprise::curvature::largest_stable_step(p) / 2);
  const auto stepper =
      odeint::make_controlled(tolerance, tolerance, odeint::runge_kutta_fehlberg78<surface>());
  result.steps = static_cast<long>(
      odeint::integrate_adaptive(stepper, right_hand_side(p), result.u, 0.0, t_end, first_step));
  impose_border(p, t_end, result.u);
  return result;
}

merson_run merson_adaptive(const problem& p, const std::vector<double>& sample_times, double eps,
                           double first_step, const sample_listener& at_sample) {
  merson_run run{.u = p.u0};
  double t = 0;
  double wanted = first_step;
  for (double end : sample_times) {
    while (t < end) {
      const bool is_cut = wanted > end - t;
      const double tau = std::min(wanted, end - t);
      attempt next = merson_step(p, run.u, t, tau);
      const bool is_accepted = next.error < eps;
      if (is_accepted) {
        t = tau < end - t ? t + tau : end;
        run.u = std::move(next.u);
        impose_border(p, t, run.u);
        ++run.accepted;
      } else {
        ++run.rejected;
      }
      // A zero error gives an infinite step, which the next sample time cuts.
      if (!(is_accepted && is_cut)) wanted = .8 * tau * std::pow(eps / next.error, .2);
      // The negated comparison also catches NaN.
      if (!(wanted > std::numeric_limits<double>::epsilon() * end))
        throw std::runtime_error("the step of the reference has become too small at t = " +
                                 std::to_string(t));
    }
    if (at_sample) at_sample(t, run.u);
  }
  return run;
}

}  // namespace reprise::reference::curvature
