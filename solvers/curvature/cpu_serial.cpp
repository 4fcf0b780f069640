// SPDX-License-Identifier: MIT
// The paper's CPU code: one thread, with one loop for each formula and the forcing evaluated at every node.
// Place: section 4.2; the column "1 core CPU" of Tables 5 to 8.
// Formula: Algorithm 4.1 on (17) or (21). As in the listing, k_i hold f, and tau is
// applied where they are used.
// Where we differ: where the listing is wrong. We take |.| in the error, and all (N1+1)(N2+1) nodes.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "solvers/curvature/border.hpp"
#include "solvers/curvature/stencil.hpp"
#include "solvers/curvature/variant.hpp"

namespace reprise::curvature {
namespace {

// Words per node and attempt that must cross the memory bus: arguments 16, right-hand sides 10 and 15 more
// for w, error 4, update 5. Logically a right-hand side reads all nine neighbours of each field.
work counted(flow f, boundary s, double word_bytes) {
  const bool is_willmore = f == flow::willmore;
  return {.bytes_logical = (25 + 5 * (is_willmore ? 29 : 10)) * word_bytes,
          .bytes_dram = (25 + 5 * (is_willmore ? 5 : 2)) * word_bytes,
          .bytes_dram_once = 0,
          .flops = step_flops(f, s)};
}

template <class Real>
class typed final : public solver {
 public:
  explicit typed(const device&) {}

  void load(const problem& p, precision) override {
    problem_ = p;
    zeta_.emplace(p);
    ih_ = {static_cast<Real>(1 / p.h_x()), static_cast<Real>(1 / p.h_y())};
    for (auto* field : {&u_, &k_, &w_, &f_[0], &f_[1], &f_[2], &f_[3], &f_[4]}) field->assign(p.nodes(), 0);
    reset(control{});
  }

  void reset(const control& c) override {
    std::transform(problem_.u0.begin(), problem_.u0.end(), u_.begin(),
                   [](double value) { return static_cast<Real>(value); });
    k_ = u_;  // the border of a Dirichlet problem is never computed
    state_ = at_start(c);
  }

  merson advance(double t_end) override {
    integrate(
        state_, t_end, [&](double t, double tau) { return attempt(t, static_cast<Real>(tau), tau); },
        [&](double tau, double t) { accept(static_cast<Real>(tau), t); });
    return state_;
  }

  std::vector<double> surface() override { return {u_.begin(), u_.end()}; }
  stopwatch& clock() override { return clock_; }
  work per_unit() const override { return counted(problem_.flow, problem_.boundary, sizeof(Real)); }

 private:
  using field = std::vector<Real>;

  double attempt(double t, Real tau, double tau_exact) {
    const auto& [k1, k2, k3, k4, k5] = f_;
    const std::size_t n = u_.size();
    evaluate(t, u_, f_[0]);
    for (std::size_t i = 0; i < n; ++i) k_[i] = u_[i] + tau * (Real(1.0 / 3) * k1[i]);
    evaluate(t + tau_exact / 3, k_, f_[1]);
    for (std::size_t i = 0; i < n; ++i) k_[i] = u_[i] + tau * (Real(1.0 / 6) * (k1[i] + k2[i]));
    evaluate(t + tau_exact / 3, k_, f_[2]);
    for (std::size_t i = 0; i < n; ++i) k_[i] = u_[i] + tau * (Real(.125) * k1[i] + Real(.375) * k3[i]);
    evaluate(t + tau_exact / 2, k_, f_[3]);
    for (std::size_t i = 0; i < n; ++i)
      k_[i] = u_[i] + tau * (Real(.5) * k1[i] - Real(1.5) * k3[i] + 2 * k4[i]);
    evaluate(t + tau_exact, k_, f_[4]);

    Real e = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const Real here = std::abs(Real(.2) * k1[i] - Real(.9) * k3[i] + Real(.8) * k4[i] - Real(.1) * k5[i]);
      if (!(here <= e)) e = here;  // also if it is NaN, which is then kept
      if (std::isnan(e)) break;
    }
    return static_cast<double>(tau / 3 * e);
  }

  void accept(Real tau, double t) {
    const auto& [k1, k2, k3, k4, k5] = f_;
    for (std::size_t i = 0; i < u_.size(); ++i) u_[i] += tau / 6 * (k1[i] + 4 * k4[i] + k5[i]);
    impose_border(problem_, *zeta_, t, u_.data());
  }

  // Computes f(t, u) at the inner nodes, after imposing the boundary condition on u.
  void evaluate(double t, field& u, field& rate) {
    impose_border(problem_, *zeta_, t, u.data());
    if (problem_.flow == flow::willmore) {
      for_inner([&](std::ptrdiff_t node, int, int) { w_at(node) = curvature_at(around(u, node), ih_); });
      impose_border_of_w(problem_, w_.data());
      for_inner([&](std::ptrdiff_t node, int, int) {
        rate[static_cast<std::size_t>(node)] = willmore_at(around(u, node), around(w_, node), ih_);
      });
    } else {
      for_inner([&](std::ptrdiff_t node, int, int) {
        rate[static_cast<std::size_t>(node)] = curvature_at(around(u, node), ih_);
      });
    }
    if (problem_.boundary == boundary::manufactured) add_forcing(t, rate);
  }

  void add_forcing(double t, field& rate) {
    const phase<double> exact = phase_at(t);
    const phase<Real> at{static_cast<Real>(exact.c), static_cast<Real>(exact.rate)};
    for_inner([&](std::ptrdiff_t node, int i, int j) {
      const auto x = profile_at(static_cast<Real>(problem_.x(i)));
      const auto y = profile_at(static_cast<Real>(problem_.y(j)));
      rate[static_cast<std::size_t>(node)] +=
          problem_.flow == flow::willmore ? forcing_willmore(x, y, at) : forcing_mean_curvature(x, y, at);
    });
  }

  template <class Body>
  void for_inner(Body body) {
    const std::ptrdiff_t nx = problem_.nodes_x();
    for (int j = 1; j < problem_.cells_y; ++j)
      for (int i = 1; i < problem_.cells_x; ++i) body(i + nx * j, i, j);
  }

  Real& w_at(std::ptrdiff_t node) { return w_[static_cast<std::size_t>(node)]; }

  auto around(const field& values, std::ptrdiff_t node) const {
    return [here = values.data() + node, nx = static_cast<std::ptrdiff_t>(problem_.nodes_x())](
               int dx, int dy) { return here[dx + dy * nx]; };
  }

  problem problem_;
  std::optional<profiles<Real>> zeta_;
  inverse_steps<Real> ih_{};
  merson state_;
  field u_, k_, w_;
  std::array<field, 5> f_;
  steady_stopwatch clock_;
};

using cpu_serial = in_either_precision<typed<float>, typed<double>>;

REPRISE_VARIANT(solver, cpu_serial,
                {.summary = "one thread, one loop for each formula",
                 .place = "section 4.2, Tables 5 to 8",
                 .precisions = {precision::single, precision::double_},
                 .per_unit = counted(flow::mean_curvature, boundary::manufactured, sizeof(double))});

}  // namespace
}  // namespace reprise::curvature
