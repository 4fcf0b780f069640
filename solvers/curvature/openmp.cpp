// SPDX-License-Identifier: MIT
// All cores with SIMD, row by row. Each edge between two nodes is computed once, the forcing's factors come from
// tables, and the error is computed while the last stage is in the cache.
// Place: the column "4 cores CPU" of Tables 5 to 8, with modern compilers and processors.
// Formula: Algorithm 4.1 on (17) or (21); k_i hold f.
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "solvers/curvature/border.hpp"
#include "solvers/curvature/simd_rows.hpp"
#include "solvers/curvature/variant.hpp"

namespace reprise::curvature {
namespace {

// Words per node and attempt that must cross the memory bus: 12 to form the arguments from u and 1, 2, 2, 3
// stages, 10 to write the arguments and read them back, 5 to write the stages, 3 for the error, 5 for the
// update (it reads four and writes one), and 15 more for w.
work counted(flow f, boundary s, double word_bytes) {
  const bool is_willmore = f == flow::willmore;
  return {.bytes_logical = (25 + 5 * (is_willmore ? 29 : 10)) * word_bytes,
          .bytes_dram = (12 + 10 + 5 + 3 + 5 + (is_willmore ? 15 : 0)) * word_bytes,
          .bytes_dram_once = 0,
          .flops = step_flops(f, s)};
}

// One row of u + a k_a + b k_b + c k_c. A stage that is not needed has the weight zero and any valid pointer.
template <class Real>
struct weighted {
  const Real* u;
  std::array<const Real*, 3> k;
  std::array<Real, 3> weight;
  Real* out;
  std::ptrdiff_t nx;
};

template <class Real>
[[gnu::always_inline]] inline void sum_row(const weighted<Real>& s) {
#pragma omp simd
  for (std::ptrdiff_t i = 1; i < s.nx - 1; ++i)
    s.out[i] = s.u[i] + (s.weight[0] * s.k[0][i] + s.weight[1] * s.k[1][i] + s.weight[2] * s.k[2][i]);
}

template <class Real, class Bits>
[[gnu::always_inline]] inline Bits error_row(const Real* k1, const Real* k3, const Real* k4, const Real* k5,
                                             std::ptrdiff_t nx, Bits most) {
#pragma omp simd reduction(max : most)
  for (std::ptrdiff_t i = 1; i < nx - 1; ++i) {
    const Bits here =
        bits_of(std::abs(Real(.2) * k1[i] - Real(.9) * k3[i] + Real(.8) * k4[i] - Real(.1) * k5[i]));
    most = here > most ? here : most;
  }
  return most;
}

#define REPRISE_ROWS(REAL, BITS)                                                                       \
  REPRISE_RATE_CLONES(REAL)                                                                            \
  REPRISE_SIMD_CLONES void sum_clone(const weighted<REAL>& s) {                                        \
    sum_row(s);                                                                                        \
  }                                                                                                    \
  REPRISE_SIMD_CLONES BITS error_clone(const REAL* k1, const REAL* k3, const REAL* k4, const REAL* k5, \
                                       std::ptrdiff_t nx, BITS most) {                                 \
    return error_row(k1, k3, k4, k5, nx, most);                                                        \
  }

REPRISE_ROWS(float, std::int32_t)
REPRISE_ROWS(double, std::int64_t)

template <class Real>
class typed final : public solver {
 public:
  explicit typed(const device&) {}

  void load(const problem& p, precision) override {
    problem_ = p;
    nx_ = p.nodes_x();
    zeta_.emplace(p);
    along_x_ = factors_of(zeta_->x);
    edges_.make_room(nx_);
    ih_ = {static_cast<Real>(1 / p.h_x()), static_cast<Real>(1 / p.h_y())};
    for (auto* field : {&u_, &argument_, &w_, &f_[0], &f_[1], &f_[2], &f_[3], &f_[4]})
      field->assign(p.nodes(), 0);
    reset(control{});
  }

  void reset(const control& c) override {
    for (std::size_t i = 0; i < u_.size(); ++i) argument_[i] = u_[i] = static_cast<Real>(problem_.u0[i]);
    state_ = at_start(c);
  }

  merson advance(double t_end) override {
    integrate(
        state_, t_end, [&](double t, double tau) { return attempt(t, tau); },
        [&](double tau, double t) { accept(static_cast<Real>(tau), t); });
    return state_;
  }

  std::vector<double> surface() override { return {u_.begin(), u_.end()}; }
  stopwatch& clock() override { return clock_; }
  work per_unit() const override { return counted(problem_.flow, problem_.boundary, sizeof(Real)); }

 private:
  using field = std::vector<Real>;
  using bits = decltype(bits_of(Real{}));

  struct stage {
    double time;                   // in units of the step
    std::array<double, 3> weight;  // of the stages below, in units of the step
    std::array<std::size_t, 3> k;
  };
  static constexpr std::array<stage, 5> stages{{{0, {0, 0, 0}, {0, 0, 0}},
                                                {1.0 / 3, {1.0 / 3, 0, 0}, {0, 0, 0}},
                                                {1.0 / 3, {1.0 / 6, 1.0 / 6, 0}, {0, 1, 0}},
                                                {1.0 / 2, {1.0 / 8, 3.0 / 8, 0}, {0, 2, 0}},
                                                {1, {1.0 / 2, -3.0 / 2, 2}, {0, 2, 3}}}};

  double attempt(double t, double tau) {
    for (std::size_t s = 0; s < stages.size(); ++s) evaluate(s, t, tau);
    return static_cast<double>(static_cast<Real>(tau / 3) * std::bit_cast<Real>(most_));
  }

  void evaluate(std::size_t s, double t, double tau) {
    const phase<double> exact = phase_at(t + stages[s].time * tau);
    const phase<Real> at{static_cast<Real>(exact.c), static_cast<Real>(exact.rate)};
    most_ = 0;
#pragma omp parallel num_threads(edges_.threads())
    {
      const field& argument = s == 0 ? u_ : argument_;
      if (s > 0) {
#pragma omp for schedule(static)
        for (int j = 1; j < problem_.cells_y; ++j) sum_clone(sum_of(s, j, tau));
#pragma omp single
        impose_border(problem_, *zeta_, t + stages[s].time * tau, argument_.data());
      }
      edge_memory<Real>& edges = edges_.mine();
      if (problem_.flow == flow::willmore)
        make_curvatures(
            problem_, argument, ih_, edges,
            [](const row_of<Real>& r, const edges_of_row<Real>& e) { curvature_clone(r, e); }, w_);
      edges.forget();
#pragma omp for schedule(static) reduction(max : most_)
      for (int j = 1; j < problem_.cells_y; ++j)
        most_ = std::max(most_, rate_and_error(s, j, argument, at, edges.of_row(j)));
    }
  }

  bits rate_and_error(std::size_t s, int j, const field& argument, phase<Real> at,
                      const edges_of_row<Real>& edges) {
    const std::ptrdiff_t first = j * nx_;
    const row_of<Real> r{argument.data() + first, w_.data() + first, f_[s].data() + first, nx_, ih_};
    const bool is_willmore = problem_.flow == flow::willmore;
    is_willmore ? willmore_clone(r, edges) : curvature_clone(r, edges);
    if (problem_.boundary == boundary::manufactured)
      forcing_clone(r, along_x_, zeta_->y[static_cast<std::size_t>(j)], at, is_willmore);
    if (s != 4) return 0;
    return error_clone(f_[0].data() + first, f_[2].data() + first, f_[3].data() + first, r.out, nx_, bits{0});
  }

  weighted<Real> sum_of(std::size_t s, int j, double tau) {
    const std::ptrdiff_t first = j * nx_;
    weighted<Real> sum{u_.data() + first, {}, {}, argument_.data() + first, nx_};
    for (std::size_t m = 0; m < 3; ++m) {
      sum.k[m] = f_[stages[s].k[m]].data() + first;
      sum.weight[m] = static_cast<Real>(tau * stages[s].weight[m]);
    }
    return sum;
  }

  void accept(Real tau, double t) {
#pragma omp parallel for schedule(static)
    for (int j = 1; j < problem_.cells_y; ++j) {
      Real* const u = u_.data() + j * nx_;
      sum_clone({u,
                 {f_[0].data() + j * nx_, f_[3].data() + j * nx_, f_[4].data() + j * nx_},
                 {tau / 6, 4 * tau / 6, tau / 6},
                 u,
                 nx_});
    }
    impose_border(problem_, *zeta_, t, u_.data());
  }

  problem problem_;
  std::ptrdiff_t nx_{};
  std::optional<profiles<Real>> zeta_;
  factors<Real> along_x_;
  inverse_steps<Real> ih_{};
  edges_of_threads<Real> edges_;
  merson state_;
  bits most_{};
  field u_, argument_, w_;
  std::array<field, 5> f_;
  steady_stopwatch clock_;
};

using openmp = in_either_precision<typed<float>, typed<double>>;

REPRISE_VARIANT(solver, openmp,
                {.summary = "all cores with SIMD, rows in the cache",
                 .place = "Tables 5 to 8, column \"4 cores CPU\", as of today",
                 .precisions = {precision::single, precision::double_},
                 .per_unit = counted(flow::mean_curvature, boundary::manufactured, sizeof(double))});

}  // namespace
}  // namespace reprise::curvature
