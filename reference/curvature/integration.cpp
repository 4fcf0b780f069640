// SPDX-License-Identifier: MIT
// Time integration of the semi-discrete system: Merson's tableau and Fehlberg's 7(8) through Boost.odeint,
// and a direct transcription of Algorithm 4.1. Place: (26)-(29). The Chebyshev method is in chebyshev.cpp.
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
#include <utility>

#include "reference/curvature/chebyshev.hpp"
#include "reference/curvature/paper.hpp"
#include "reference/curvature/semi_discrete.hpp"
#include "reference/curvature/surface.hpp"

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

Eigen::Map<const ArrayXd> flat(const surface& f) {
  return {f.data(), static_cast<Eigen::Index>(f.size())};
}

// Calls part(begin, length) for parts of a surface that fit in a cache, on several threads.
template <class Part>
void in_parts(Eigen::Index nodes, Part part) {
  constexpr Eigen::Index longest = 1 << 13;
#pragma omp parallel for schedule(static) if (static_cast <std::size_t>(nodes) >= worth_threads)
  for (Eigen::Index begin = 0; begin < nodes; begin += longest) part(begin, std::min(longest, nodes - begin));
}

// Evaluates an expression of whole surfaces.
template <class Values, class Expression>
Values evaluated(const Eigen::ArrayBase<Expression>& what) {
  Values all(static_cast<std::size_t>(what.size()));
  in_parts(what.size(), [&](Eigen::Index begin, Eigen::Index length) {
    Eigen::Map<ArrayXd>(all.data() + begin, length) = what.segment(begin, length);
  });
  return all;
}

template <class Expression>
double largest_of(const Eigen::ArrayBase<Expression>& what) {
  double most = 0;
  in_parts(what.size(), [&](Eigen::Index begin, Eigen::Index length) {
    const double mine = what.segment(begin, length).template maxCoeff<Eigen::PropagateNaN>();
#pragma omp critical(reprise_largest_of)
    if (!std::isnan(most) && !(mine <= most)) most = mine;
  });
  return most;
}

// What an error of zero counts as, so that the next step is finite: the smallest normal number.
constexpr double smallest_error = 0x1p-1022;

// One step of (26), (27) and (28) in the paper's notation, where the k_i include tau.
attempt merson_step(const problem& p, const surface& u, double t, double tau) {
  const auto k = [&](double at, ArrayXd v) {
    ArrayXd change = rate(p, at, std::move(v));
    in_parts(change.size(),
             [&](Eigen::Index begin, Eigen::Index length) { change.segment(begin, length) *= tau; });
    return change;
  };
  const auto plus = [&](const auto& change) { return evaluated<ArrayXd>(flat(u) + change); };
  const ArrayXd k1 = k(t, evaluated<ArrayXd>(flat(u)));
  const ArrayXd k2 = k(t + tau / 3, plus(k1 / 3));
  const ArrayXd k3 = k(t + tau / 3, plus((k1 + k2) / 6));
  const ArrayXd k4 = k(t + tau / 2, plus(k1 / 8 + 3 * k3 / 8));
  const ArrayXd k5 = k(t + tau, plus(k1 / 2 - 3 * k3 / 2 + 2 * k4));
  const double e = largest_of((k1 / 5 - 9 * k3 / 10 + 4 * k4 / 5 - k5 / 10).abs() / 3);
  return {.u = evaluated<surface>(flat(u) + (k1 + 4 * k4 + k5) / 6), .error = e, .evaluations = 5};
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
  s.error = largest_of(flat(error).abs());
  return s;
}

integrated integrate(const problem& p, double t_end, double tolerance) {
  integrated result{.u = p.u0};
  const double first_step = std::min(t_end, stable_step(p) / 2);
  const auto stepper =
      odeint::make_controlled(tolerance, tolerance, odeint::runge_kutta_fehlberg78<surface>());
  result.steps = static_cast<long>(
      odeint::integrate_adaptive(stepper, right_hand_side(p), result.u, 0.0, t_end, first_step));
  impose_border(p, t_end, result.u);
  return result;
}

stepped chebyshev_steps(const problem& p, double tau, int count) {
  stepped s{.u = p.u0};
  for (int n = 0; n < count; ++n) {
    attempt next = chebyshev_step(p, s.u, n * tau, tau, spectral_radius(p, s.u, n * tau));
    s = {.u = std::move(next.u), .error = next.error};
    impose_border(p, (n + 1) * tau, s.u);
  }
  return s;
}

namespace {

// One attempt by the chosen method. Shortens a step that the method does not allow.
attempt attempt_of(const problem& p, integration& run, double t_end, const rules& r, double& tau) {
  if (r.method == integrator::merson) return merson_step(p, run.u, run.t, tau);
  const double radius = spectral_radius(p, run.u, run.t);
  if (run.wanted > longest_chebyshev_step(radius)) {
    run.wanted = longest_chebyshev_step(radius);
    tau = std::min(run.wanted, t_end - run.t);
  }
  attempt next = chebyshev_step(p, run.u, run.t, tau, radius);
  if (run.accepted + run.rejected == 0) ++next.evaluations;
  return next;
}

double next_step(integrator method, double tau, double eps_over_e) {
  if (method == integrator::merson) return 0.8 * tau * std::pow(eps_over_e, 0.2);
  return tau * std::min(10.0, std::max(0.1, 0.8 * std::pow(eps_over_e, 1.0 / 3)));
}

}  // namespace

ending advance(const problem& p, integration& run, double t_end, const rules& r) {
  while (run.t < t_end) {
    double tau = std::min(run.wanted, t_end - run.t);
    attempt next = attempt_of(p, run, t_end, r, tau);
    const bool is_cut = run.wanted > tau;
    const bool is_number = next.error <= std::numeric_limits<double>::max();
    const bool is_accepted = is_number && next.error < r.eps;
    run.evaluations += next.evaluations;
    if (is_accepted) {
      run.t = tau < t_end - run.t ? run.t + tau : t_end;
      run.u = std::move(next.u);
      impose_border(p, run.t, run.u);
      ++run.accepted;
    } else {
      ++run.rejected;
    }
    run.error = next.error;
    const bool sets_step = !(is_accepted && is_cut);
    run.attempts.push_back(
        {.tau = tau, .error = next.error, .is_accepted = is_accepted, .sets_step = sets_step});
    if (!is_number) {
      run.wanted = tau / 10;
    } else if (sets_step) {
      run.wanted = next_step(r.method, tau, r.eps / std::max(next.error, smallest_error));
    }
    if (run.t >= t_end) break;
    if (!(run.wanted > 0x1p-52 * t_end)) return ending::step_underflow;
    if (run.accepted + run.rejected >= r.most_attempts) return ending::too_many_attempts;
  }
  return ending::reached;
}

adaptive_run merson_adaptive(const problem& p, const std::vector<double>& sample_times, double eps,
                             double first_step, const sample_listener& at_sample) {
  return adaptive(p, sample_times, {.eps = eps}, first_step, at_sample);
}

adaptive_run adaptive(const problem& p, const std::vector<double>& sample_times, const rules& r,
                      double first_step, const sample_listener& at_sample) {
  integration run;
  run.u = p.u0;
  run.wanted = first_step;
  for (const double end : sample_times) {
    if (advance(p, run, end, r) != ending::reached)
      throw std::runtime_error("the step of the reference has become too small at t = " +
                               std::to_string(run.t));
    if (at_sample) at_sample(run.t, run.u);
  }
  return {.u = std::move(run.u), .accepted = run.accepted, .rejected = run.rejected};
}

}  // namespace reprise::reference::curvature
