// SPDX-License-Identifier: MIT
// Base class of the solvers, whose right-hand sides and answers are on the host. It keeps the matrix, divides
// the time into parts, and refuses values that are not finite.
#pragma once

#include <chrono>
#include <cmath>

#include "solvers/angiogenesis/variant.hpp"

namespace reprise::angiogenesis {

class host_solver : public solver {
 public:
  void load(const matrix& a, factoring when) override {
    effort_ = {};
    lap_ = now();
    matrix_ = a;
    when_ = when;
    require_finite(matrix_);
    prepare();
    charge(effort_.seconds.host);
    if (when_ == factoring::once) factorise_now();
  }

  void solve(std::span<const double> b, std::span<double> x) override {
    lap_ = now();
    require_finite_values(b, "the right-hand side");
    charge(effort_.seconds.host);
    if (when_ == factoring::every_solve) factorise_now();
    substitute(b, x);
    require_finite_values(x, "the solution");
    ++effort_.solves;
    charge(effort_.seconds.host);
  }

  const effort& spent() const override { return effort_; }
  stopwatch& clock() override { return clock_; }

 protected:
  virtual void prepare() = 0;                                                   // allocates and lays out
  virtual void factorise() = 0;                                                 // must charge its time
  virtual void substitute(std::span<const double> b, std::span<double> x) = 0;  // must charge its time

  // Makes a solve whose substitution is the given one, without looks at its values.
  template <class Substitution>
  void solve_unchecked(Substitution substitution) {
    lap_ = now();
    if (when_ == factoring::every_solve) factorise_now();
    substitution();
    ++effort_.solves;
    charge(effort_.seconds.host);
  }

  // Adds the time since the last call to one part of the effort.
  void charge(double& part) {
    const auto here = now();
    part += std::chrono::duration<double>(here - lap_).count();
    lap_ = here;
  }

  // 0 * value is zero only if the value is finite. Sums of such products need no branch per value, and
  // several sums are independent of each other.
  static void require_finite_values(std::span<const double> values, const char* what) {
    constexpr std::size_t lanes = 8;
    std::array<double, lanes> sums{};
    std::size_t i = 0;
    for (; i + lanes <= values.size(); i += lanes)
      for (std::size_t lane = 0; lane < lanes; ++lane) sums[lane] += 0 * values[i + lane];
    for (; i < values.size(); ++i) sums[0] += 0 * values[i];
    double sum = 0;
    for (double part : sums) sum += part;
    if (sum == 0) return;
    std::size_t at = 0;
    while (std::isfinite(values[at])) ++at;
    throw bad_input(std::string(what) + " is not finite at unknown " + std::to_string(at));
  }

  // What a solve moves whose matrix stays on the device.
  bus_traffic vectors_only() const {
    return {2 * sizeof(double) * static_cast<double>(matrix_.order), "b and x"};
  }

  const matrix& a() const { return matrix_; }
  factoring when() const { return when_; }
  effort effort_;

 private:
  static std::chrono::steady_clock::time_point now() { return std::chrono::steady_clock::now(); }
  void factorise_now() {
    factorise();
    ++effort_.factorisations;
  }

  matrix matrix_;
  factoring when_{};
  std::chrono::steady_clock::time_point lap_;
  steady_stopwatch clock_;
};

}  // namespace reprise::angiogenesis
