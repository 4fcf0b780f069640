// SPDX-License-Identifier: MIT
// One thread, one loop for each evaluation of the right-hand side and one for each sum.
// Place: the integrators of section 3 without a GPU; the paper has no such code.
// Formula: (3), (4) or (5) with the nine-point Laplacian (6); Euler, Heun, Runge-Kutta of all fields
// together; implicit Euler and Rush-Larsen of the gates with their coefficients held at the step's beginning.
#include <array>
#include <memory>
#include <vector>

#include "solvers/tissue/cells.hpp"
#include "solvers/tissue/models.hpp"
#include "solvers/tissue/variant.hpp"

namespace reprise::tissue {
namespace {

using state_type = std::vector<std::vector<double>>;

// Words of a cell and step across the memory bus: an evaluation reads and writes each field, a sum reads two
// or three states and writes one.
work counted(model what, method how) {
  const double fields = fields_of(what);
  const double stages = stages_of(how);
  const double sums = how == method::runge_kutta ? 3 * 3 + 6 : how == method::heun ? 3 + 4 : 3;
  const double words = fields * (2 * stages + sums);
  return {.bytes_logical = (words + 8 * stages * diffusing_fields_of(what)) * sizeof(double),
          .bytes_dram = words * sizeof(double),
          .bytes_dram_once = 0,
          .flops = stages * (local_flops(what) + laplacian_flops * diffusing_fields_of(what)) +
                   fields * (how == method::runge_kutta ? 13
                             : how == method::heun      ? 5
                                                        : 2)};
}

using rates_function = void (*)(const local_options&, const double*, double*);

template <template <switch_form> class Model>
rates_function rates_of(switch_form form) {
  switch (form) {
    case switch_form::heaviside:
      return Model<switch_form::heaviside>::rates;
    case switch_form::linear:
      return Model<switch_form::linear>::rates;
    case switch_form::cubic:
      return Model<switch_form::cubic>::rates;
    case switch_form::quintic:
      return Model<switch_form::quintic>::rates;
    case switch_form::septic:
      return Model<switch_form::septic>::rates;
    case switch_form::nonic:
      return Model<switch_form::nonic>::rates;
    case switch_form::tanh:
      return Model<switch_form::tanh>::rates;
  }
  return nullptr;
}

rates_function rates_of(const problem& p) {
  switch (p.what) {
    case model::fitzhugh_nagumo:
      return rates_of<fitzhugh_nagumo>(p.form);
    case model::karma:
      return rates_of<karma>(p.form);
    case model::bueno_orovio:
      return rates_of<bueno_orovio>(p.form);
  }
  return nullptr;
}

// One step of all gates of a cell with their coefficients held.
template <switch_form form>
struct gate_step {
  static void rates(const local_options& o, const double* z, double* next) {
    const auto g = bueno_orovio<form>::gates_at(o, z[0]);
    const double dt = next[0];
    const bool is_exponential = next[1] > 0;
    const auto advanced = is_exponential ? rush_larsen : implicit_euler;
    next[1] = advanced(g.v, z[1], dt);
    next[2] = advanced(g.w, z[2], dt);
    next[3] = advanced(g.s, z[3], dt);
  }
};

class cpu_serial final : public solver {
 public:
  explicit cpu_serial(const device&) {}

  void load(const problem& p, method m, double dt) override {
    require_method(p, m, dt);
    problem_ = p;
    method_ = m;
    dt_ = dt;
    options_ = {p.steepness, p.has_sharp_constants, p.replaces_tanh, p.multiplies_powers};
    columns_ = std::make_unique<neighbours>(p.border, p.nx);
    rows_ = std::make_unique<neighbours>(p.border, p.ny);
    rates_ = rates_of(p);
    gates_ = rates_of<gate_step>(p.form);
    for (state_type* s : {&stage_, &k_, &sum_})
      *s = state_type(p.state0.size(), std::vector<double>(p.cells()));
    reset();
  }

  void reset() override { state_ = problem_.state0; }

  void step(long count) override {
    for (long n = 0; n < count; ++n) step_once();
  }

  state_type state() override { return state_; }
  stopwatch& clock() override { return clock_; }
  work per_unit() const override { return counted(problem_.what, method_); }

 private:
  void step_once() {
    switch (method_) {
      case method::euler:
        evaluate(state_);
        return add(dt_);
      case method::implicit_euler:
      case method::rush_larsen:
        evaluate(state_);
        return add_with_gates();
      case method::heun:
        evaluate(state_);
        sum_ = k_;
        form_stage(dt_);
        evaluate(stage_);
        accumulate(1);
        return add_sum(dt_ / 2);
      case method::runge_kutta:
        return runge_kutta();
    }
  }

  void runge_kutta() {
    evaluate(state_);
    sum_ = k_;
    form_stage(dt_ / 2);
    evaluate(stage_);
    accumulate(2);
    form_stage(dt_ / 2);
    evaluate(stage_);
    accumulate(2);
    form_stage(dt_);
    evaluate(stage_);
    accumulate(1);
    add_sum(dt_ / 6);
  }

  // k := f(z)
  void evaluate(const state_type& z) {
    const std::size_t fields = z.size();
    std::array<double, 4> here{};
    std::array<double, 4> rate{};
    for (int j = 0; j < problem_.ny; ++j)
      for (int i = 0; i < problem_.nx; ++i) {
        const std::size_t cell = cell_at(i, j);
        for (std::size_t f = 0; f < fields; ++f) here[f] = z[f][cell];
        rates_(options_, here.data(), rate.data());
        for (std::size_t f = 0; f < fields; ++f)
          k_[f][cell] = rate[f] + diffused(z[f], static_cast<int>(f), i, j);
      }
  }

  double diffused(const std::vector<double>& field, int f, int i, int j) const {
    const double coefficient = diffusion_of(problem_.what, f);
    if (coefficient == 0) return 0;
    const auto row = [&](int at) { return field.data() + cell_at(0, at); };
    const auto up = static_cast<std::size_t>(j);
    const auto along = static_cast<std::size_t>(i);
    return coefficient / (6 * problem_.dx * problem_.dx) *
           weighted_sum(row(rows_->before[up]), row(j), row(rows_->after[up]), columns_->before[along], i,
                        columns_->after[along]);
  }

  std::size_t cell_at(int i, int j) const {
    return static_cast<std::size_t>(i) + static_cast<std::size_t>(problem_.nx) * static_cast<std::size_t>(j);
  }

  template <class Body>
  void for_all(Body body) {
    for (std::size_t f = 0; f < state_.size(); ++f)
      for (std::size_t cell = 0; cell < state_[f].size(); ++cell) body(f, cell);
  }

  void add(double h) {
    for_all([&](std::size_t f, std::size_t cell) { state_[f][cell] += h * k_[f][cell]; });
  }
  void form_stage(double h) {
    for_all([&](std::size_t f, std::size_t cell) { stage_[f][cell] = state_[f][cell] + h * k_[f][cell]; });
  }
  void accumulate(double weight) {
    for_all([&](std::size_t f, std::size_t cell) { sum_[f][cell] += weight * k_[f][cell]; });
  }
  void add_sum(double h) {
    for_all([&](std::size_t f, std::size_t cell) { state_[f][cell] += h * sum_[f][cell]; });
  }

  // u by explicit Euler, the gates by their own method, all from the old u.
  void add_with_gates() {
    std::array<double, 4> here{};
    std::array<double, 4> next{};
    for (std::size_t cell = 0; cell < state_[0].size(); ++cell) {
      for (std::size_t f = 0; f < 4; ++f) here[f] = state_[f][cell];
      next = {dt_, method_ == method::rush_larsen ? 1.0 : 0.0, 0, 0};
      gates_(options_, here.data(), next.data());
      state_[0][cell] += dt_ * k_[0][cell];
      for (std::size_t f = 1; f < 4; ++f) state_[f][cell] = next[f];
    }
  }

  problem problem_;
  method method_{};
  double dt_{};
  local_options options_{};
  rates_function rates_{};
  rates_function gates_{};
  std::unique_ptr<neighbours> columns_, rows_;
  state_type state_, stage_, k_, sum_;
  steady_stopwatch clock_;
};

REPRISE_VARIANT(solver, cpu_serial,
                {.summary = "one thread, one loop for each evaluation and each sum",
                 .place = "section 3, without a GPU",
                 .precisions = {precision::double_},
                 .per_unit = counted(model::karma, method::runge_kutta),
                 .repeats = determinism::bitwise});

}  // namespace
}  // namespace reprise::tissue
