// SPDX-License-Identifier: MIT
// The stabilised method on all cores with SIMD, row by row: a stage is summed while its right-hand side is in the cache.
// Place: beyond the paper, whose Algorithm 4.1 takes steps at the limit of stability.
// Formula: stabilised.hpp on (17) or (21).
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "solvers/common/base/error.hpp"
#include "solvers/curvature/border.hpp"
#include "solvers/curvature/simd_rows.hpp"
#include "solvers/curvature/stabilised.hpp"
#include "solvers/curvature/variant.hpp"

namespace reprise::curvature {
namespace {

// Words per node and evaluation that must cross the memory bus: reads of the last two stages, of u and of f_0, and
// writes of the rate and of the stage; three more for w.
work counted(flow f, boundary s) {
  const bool is_willmore = f == flow::willmore;
  constexpr double word_bytes = sizeof(double);
  return {.bytes_logical = (6 + (is_willmore ? 29 : 10)) * word_bytes,
          .bytes_dram = (6 + (is_willmore ? 3 : 0)) * word_bytes,
          .bytes_dram_once = 0,
          .flops = stage_flops(f, s)};
}

// One row of the sum of a stage. `before` may be `out`.
struct summed_row {
  const double* u;
  const double* y;
  const double* before;
  const double* f0;
  const double* f;
  double* out;
  std::ptrdiff_t nx;
};

REPRISE_SIMD_CLONES void sum_clone(const summed_row& r, const chebyshev_stage& s, double tau) {
  const double rest = s.rest();
  const double kappa = s.kappa * tau;
  const double gamma = s.gamma * tau;
#pragma omp simd
  for (std::ptrdiff_t i = 1; i < r.nx - 1; ++i)
    r.out[i] = s.mu * r.y[i] + s.nu * r.before[i] + rest * r.u[i] + (kappa * r.f[i] + gamma * r.f0[i]);
}

REPRISE_SIMD_CLONES std::int64_t error_clone(const summed_row& r, double tau) {
  std::int64_t most = 0;
#pragma omp simd reduction(max : most)
  for (std::ptrdiff_t i = 1; i < r.nx - 1; ++i) {
    const std::int64_t here = bits_of(std::abs(.8 * (r.u[i] - r.y[i]) + .4 * tau * (r.f0[i] + r.f[i])));
    most = here > most ? here : most;
  }
  return most;
}

REPRISE_SIMD_CLONES std::int64_t distance_clone(const double* a, const double* b, std::ptrdiff_t nx) {
  std::int64_t most = 0;
#pragma omp simd reduction(max : most)
  for (std::ptrdiff_t i = 1; i < nx - 1; ++i) {
    const std::int64_t here = bits_of(std::abs(a[i] - b[i]));
    most = here > most ? here : most;
  }
  return most;
}

REPRISE_RATE_CLONES(double)

class openmp_rkc final : public solver {
 public:
  explicit openmp_rkc(const device&) {}

  void load(const problem& p, precision arithmetic) override {
    if (arithmetic != precision::double_)
      throw unavailable("many stages amplify rounding, so the method is built for double precision");
    problem_ = p;
    nx_ = p.nodes_x();
    zeta_.emplace(p);
    along_x_ = factors_of(zeta_->x);
    edges_.make_room(nx_);
    ih_ = {1 / p.h_x(), 1 / p.h_y()};
    for (auto* f : {&u_, &y_[0], &y_[1], &f0_, &f_, &w_}) f->assign(p.nodes(), 0);
    reset(control{});
  }

  void reset(const control& c) override {
    u_ = y_[0] = y_[1] = problem_.u0;  // the border of a Dirichlet problem is never computed
    state_ = at_start(c);
  }

  merson advance(double t_end) override {
    integrate_stabilised(
        state_, t_end, [&](double t) { evaluate(u_, t, f0_, no_more); }, [&](double t) { return radius(t); },
        [&](double t, double tau, int stages) { return attempt(t, tau, stages); },
        [&](double) {
          u_.swap(y_[latest_]);
          f0_.swap(f_);
        });
    return state_;
  }

  std::vector<double> surface() override { return u_; }
  stopwatch& clock() override { return clock_; }
  work per_unit() const override { return counted(problem_.flow, problem_.boundary); }
  integrator method() const override { return integrator::chebyshev; }

 private:
  using field = std::vector<double>;
  static constexpr auto no_more = [](int) { return std::int64_t{0}; };

  double attempt(double t, double tau, int stages) {
    chebyshev_stages weights(stages);
    double time = t + weights.latest().time * tau;
    latest_ = 0;
    for_rows([&](int j) { sum_row(j, u_, u_, f0_, weights.latest(), tau, y_[0]); });
    impose_border(problem_, *zeta_, time, y_[0].data());
    const field* before = &u_;
    for (int stage = 2; stage <= stages; ++stage) {
      const field& y = y_[latest_];
      field& next = y_[1 - latest_];
      weights.advance();
      evaluate(y, time, f_, [&](int j) {
        sum_row(j, y, *before, f_, weights.latest(), tau, next);
        return std::int64_t{0};
      });
      time = stage == stages ? t + tau : t + weights.latest().time * tau;
      impose_border(problem_, *zeta_, time, next.data());
      before = &y;
      latest_ = 1 - latest_;
    }
    return evaluate(y_[latest_], time, f_,
                    [&](int j) { return error_clone(row(j, y_[latest_], u_, f_, y_[latest_]), tau); });
  }

  double radius(double t) {
    latest_ = 0;
    for_rows([&](int j) {
      for (std::ptrdiff_t i = j * nx_ + 1; i < (j + 1) * nx_ - 1; ++i)
        y_[0][static_cast<std::size_t>(i)] =
            u_[static_cast<std::size_t>(i)] + ((i - j * nx_ + j) % 2 == 0 ? disturbance : -disturbance);
    });
    impose_border(problem_, *zeta_, t, y_[0].data());
    const double apart = evaluate(
        y_[0], t, f_, [&](int j) { return distance_clone(f_.data() + j * nx_, f0_.data() + j * nx_, nx_); });
    return apart / disturbance;
  }

  // Stores the right-hand side at a surface, border included, and calls finish(j) behind each row. Returns the
  // largest of its results.
  template <class Finish>
  double evaluate(const field& v, double t, field& out, Finish finish) {
    const phase<double> at = phase_at(t);
    const bool is_willmore = problem_.flow == flow::willmore;
    std::int64_t most = 0;
#pragma omp parallel num_threads(edges_.threads())
    {
      edge_memory<double>& edges = edges_.mine();
      if (is_willmore)
        make_curvatures(
            problem_, v, ih_, edges,
            [](const row_of<double>& r, const edges_of_row<double>& e) { curvature_clone(r, e); }, w_);
      edges.forget();
#pragma omp for schedule(static) reduction(max : most)
      for (int j = 1; j < problem_.cells_y; ++j) {
        const row_of<double> r{v.data() + j * nx_, w_.data() + j * nx_, out.data() + j * nx_, nx_, ih_};
        const edges_of_row<double> e = edges.of_row(j);
        is_willmore ? willmore_clone(r, e) : curvature_clone(r, e);
        if (problem_.boundary == boundary::manufactured)
          forcing_clone(r, along_x_, zeta_->y[static_cast<std::size_t>(j)], at, is_willmore);
        most = std::max(most, finish(j));
      }
    }
    return std::bit_cast<double>(most);
  }

  template <class Body>
  void for_rows(Body body) {
#pragma omp parallel for schedule(static)
    for (int j = 1; j < problem_.cells_y; ++j) body(j);
  }

  summed_row row(int j, const field& y, const field& before, const field& f, field& out) {
    const std::ptrdiff_t first = j * nx_;
    return {u_.data() + first,
            y.data() + first,
            before.data() + first,
            f0_.data() + first,
            f.data() + first,
            out.data() + first,
            nx_};
  }

  void sum_row(int j, const field& y, const field& before, const field& f, const chebyshev_stage& s,
               double tau, field& out) {
    sum_clone(row(j, y, before, f, out), s, tau);
  }

  problem problem_;
  std::ptrdiff_t nx_{};
  std::optional<profiles<double>> zeta_;
  factors<double> along_x_;
  inverse_steps<double> ih_{};
  edges_of_threads<double> edges_;
  merson state_;
  field u_, f0_, f_, w_;
  std::array<field, 2> y_;  // the last two stages
  std::size_t latest_{};
  steady_stopwatch clock_;
};

REPRISE_VARIANT(solver, openmp_rkc,
                {.summary = "a stabilised method with as many stages as the step needs, all cores with SIMD",
                 .place = "beyond the paper",
                 .precisions = {precision::double_},
                 .per_unit = counted(flow::mean_curvature, boundary::manufactured)});

}  // namespace
}  // namespace reprise::curvature
