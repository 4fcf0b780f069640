// SPDX-License-Identifier: MIT
// The paper's time stepping around any solver of its linear system: A U' = B U + dt N(U), then
// max(U', 0). Place: Algorithm 1.
#pragma once

#include <cmath>
#include <functional>
#include <string>

#include "solvers/angiogenesis/explicit_part.hpp"
#include "solvers/angiogenesis/variant.hpp"

namespace reprise::angiogenesis {

// Quantities that are monitored during a run.
struct record {
  long long steps{};
  long long clipped{};      // number of negative values set to 0, over all steps
  double least{};           // smallest value before clipping, if negative
  double clipped_mass{};    // mass of C added by clipping
  double produced_mass{};   // mass of C produced by k1 C (1 - C)
  double backward_error{};  // largest of all solves, if residuals are watched
  double host_seconds{};    // everything except the solves: explicit part, B U, clipping, monitors
  std::string failure;      // why the run ended early; empty if it did not
};

// The integral of a field by the composite trapezoidal rule.
inline double mass(const problem& p, std::span<const double> u, field which = field::c) {
  const auto m = static_cast<std::size_t>(p.nodes);
  const auto values = u.subspan(static_cast<std::size_t>(which) * m, m);
  double sum = -(values.front() + values.back()) / 2;
  for (double value : values) sum += value;
  return sum * p.h();
}

// Adds the sources of a manufactured solution to N(U) at time t.
using forcing = std::function<void(double t, std::span<double> rate)>;

class imex {
 public:
  // Loads the solver, which must outlive this object.
  imex(const problem& p, solver& with, factoring when)
      : p_(p),
        b_(explicit_matrix(p)),
        a_(implicit_matrix(p)),
        n_(p),
        solver_(&with),
        rate_(p.u0.size()),
        right_(p.u0.size()),
        next_(p.u0.size()) {
    solver_->load(a_, when);
    reset();
  }

  void reset() {
    u_ = p_.u0;
    record_ = {};
    start_mass_ = mass(p_, u_);
  }
  void set_forcing(forcing f) { forcing_ = std::move(f); }
  // Residuals cost more than a solve that uses the matrix's structure, so they are off by default.
  void watch_residuals(bool on) { watches_residuals_ = on; }

  // Ends early if a value is not finite, with the reason in the record's failure.
  void advance(int steps) {
    for (int s = 0; s < steps && record_.failure.empty(); ++s) step();
  }

  const std::vector<double>& state() const { return u_; }
  const record& so_far() const { return record_; }
  double time() const { return static_cast<double>(record_.steps) * p_.dt; }

  // The part of C's mass that reactions and clipping do not explain, relative to the mass: what
  // the taxis terms lose or gain.
  double mass_defect() const {
    const double now = mass(p_, u_);
    return (now - start_mass_ - record_.produced_mass - record_.clipped_mass) / now;
  }

 private:
  void step() {
    watch_.start();
    n_(u_, rate_);
    if (forcing_) forcing_(time(), rate_);
    multiply(b_, u_, right_);
    for (std::size_t k = 0; k < right_.size(); ++k) right_[k] += p_.dt * rate_[k];
    record_.host_seconds += watch_.stop();
    try {
      solver_->solve(right_, next_);
    } catch (const bad_matrix&) {
      throw;
    } catch (const bad_input& not_finite) {
      record_.failure = "step " + std::to_string(record_.steps + 1) + ": " + not_finite.what();
      return;
    }
    watch_.start();
    account();
    clip();
    u_.swap(next_);
    ++record_.steps;
    record_.host_seconds += watch_.stop();
  }

  void account() {
    const std::size_t last = static_cast<std::size_t>(p_.nodes) - 1;
    double sum = 0;
    for (std::size_t i = 0; i <= last; ++i) sum += (i == 0 || i == last ? .5 : 1) * u_[i] * (1 - u_[i]);
    record_.produced_mass += p_.dt * p_.parameters.k1 * p_.h() * sum;
    if (watches_residuals_)
      record_.backward_error = std::max(record_.backward_error, backward_error(a_, next_, right_));
  }

  void clip() {
    const std::size_t last = static_cast<std::size_t>(p_.nodes) - 1;
    for (std::size_t k = 0; k < next_.size(); ++k) {
      if (!(next_[k] < 0)) continue;
      ++record_.clipped;
      record_.least = std::min(record_.least, next_[k]);
      if (k <= last) record_.clipped_mass -= (k == 0 || k == last ? .5 : 1) * p_.h() * next_[k];
      next_[k] = 0;
    }
  }

  problem p_;
  matrix b_, a_;
  explicit_part n_;
  solver* solver_;
  forcing forcing_;
  bool watches_residuals_{};
  std::vector<double> u_, rate_, right_, next_;
  record record_;
  double start_mass_{};
  steady_stopwatch watch_;
};

}  // namespace reprise::angiogenesis
