// SPDX-License-Identifier: MIT
// One thread, with one loop for each evaluation of the right-hand side and one for each sum.
// Place: the integrators of section 3 without a GPU; the paper has no such code.
// Formula: (3), (4) or (5) with the nine-point Laplacian (6). Euler, Heun and Runge-Kutta advance all fields
// together. Implicit Euler and Rush-Larsen advance the gates with coefficients held at the step's beginning.
#include <array>
#include <vector>

#include "solvers/tissue/cells.hpp"
#include "solvers/tissue/models.hpp"
#include "solvers/tissue/stages.hpp"
#include "solvers/tissue/variant.hpp"

namespace reprise::tissue {
namespace {

using state_type = std::vector<std::vector<double>>;

// Words per cell and step that cross the memory bus. An evaluation reads and writes each field. An update
// reads k and the state; all but the last one also write an argument and the sum.
work counted(model what, method how) {
  const double fields = fields_of(what);
  const double stages = stages_of(how);
  const double updates = how == method::runge_kutta ? 4 + 5 + 5 + 4 : how == method::heun ? 4 + 4 : 3;
  const double words = fields * (2 * stages + updates);
  return {.bytes_logical = (words + 8 * stages * diffusing_fields_of(what)) * sizeof(double),
          .bytes_dram = words * sizeof(double),
          .bytes_dram_once = 0,
          .flops = step_flops(what, how)};
}

class cpu_serial final : public solver {
 public:
  explicit cpu_serial(const device&) {}

  void load(const problem& p, method m, double dt, precision arithmetic) override {
    require_double(arithmetic);
    require_method(p, m, dt);
    problem_ = p;
    method_ = m;
    schedule_ = schedule_of(m, dt);
    terms_ = terms_of(p);
    with_types(p, m, [&](auto model_type, auto terms) {
      evaluate_ = &cpu_serial::evaluate<decltype(model_type), decltype(terms)>;
      has_own_gates_ = model_type.has_own_gates;
    });
    column_ = folds(p.nx);
    row_ = folds(p.ny);
    for (state_type* s : {&argument_, &k_, &sum_})
      *s = state_type(p.state0.size(), std::vector<double>(p.cells()));
    reset();
  }

  void reset() override { state_ = problem_.state0; }

  void step(long count) override {
    for (long n = 0; n < count; ++n)
      for (int s = 0; s < schedule_.stages; ++s) {
        (this->*evaluate_)(s == 0 ? state_ : argument_, schedule_.of[s].h);
        for (std::size_t field = 0; field < state_.size(); ++field) update(field, s);
      }
  }

  state_type state() override { return state_; }
  stopwatch& clock() override { return clock_; }
  work per_unit() const override { return counted(problem_.model, method_); }

 private:
  // The cells that the indices -1 ... n stand for; index i is at position i + 1.
  std::vector<std::size_t> folds(int n) const {
    std::vector<std::size_t> all;
    for (int i = -1; i <= n; ++i) all.push_back(static_cast<std::size_t>(folded(problem_.border, i, n)));
    return all;
  }

  // Computes k = f(z).
  template <class Model, class Terms>
  void evaluate(const state_type& z, double dt) {
    const auto terms = terms_as<Terms>(terms_);
    std::array<double, Model::diffusing> coefficient{};
    for (int f = 0; f < Model::diffusing; ++f)
      coefficient[static_cast<std::size_t>(f)] = coefficient_of(problem_, f);
    std::array<double, Model::fields> here{};
    std::array<double, Model::fields> term{};
    for (std::size_t j = 0; j < static_cast<std::size_t>(problem_.ny); ++j)
      for (std::size_t i = 0; i < static_cast<std::size_t>(problem_.nx); ++i) {
        const std::size_t cell = i + j * static_cast<std::size_t>(problem_.nx);
        for (std::size_t f = 0; f < here.size(); ++f) here[f] = z[f][cell];
        Model::local_terms(terms, dt, here.data(), term.data());
        for (std::size_t f = 0; f < coefficient.size(); ++f)
          term[f] += coefficient[f] * weighted_sum([&](int dx, int dy) {
                       return z[f][neighbour(i, dx, column_) +
                                   neighbour(j, dy, row_) * static_cast<std::size_t>(problem_.nx)];
                     });
        for (std::size_t f = 0; f < term.size(); ++f) k_[f][cell] = term[f];
      }
  }

  static std::size_t neighbour(std::size_t at, int distance, const std::vector<std::size_t>& folds) {
    return folds[at + static_cast<std::size_t>(distance + 1)];
  }

  void update(std::size_t field, int s) {
    if (has_own_gates_ && field > 0) {
      state_[field] = k_[field];
      return;
    }
    const auto [weight, h] = schedule_.of[s];
    const std::vector<double>& k = k_[field];
    std::vector<double>& z = state_[field];
    std::vector<double>& sum = sum_[field];
    std::vector<double>& argument = argument_[field];
    const bool is_first = s == 0;
    if (s == schedule_.stages - 1) {
      for (std::size_t c = 0; c < z.size(); ++c) z[c] += h * ((is_first ? 0 : sum[c]) + weight * k[c]);
    } else {
      for (std::size_t c = 0; c < z.size(); ++c) {
        sum[c] = (is_first ? 0 : sum[c]) + weight * k[c];
        argument[c] = z[c] + h * k[c];
      }
    }
  }

  problem problem_;
  method method_{};
  schedule schedule_{};
  chosen_terms terms_{};
  void (cpu_serial::*evaluate_)(const state_type&, double){};
  bool has_own_gates_{};
  std::vector<std::size_t> column_, row_;
  state_type state_, argument_, k_, sum_;
  steady_stopwatch clock_;
};

REPRISE_VARIANT(solver, cpu_serial,
                {.summary = "one thread, one loop for each evaluation and each sum",
                 .place = "section 3, without a GPU",
                 .precisions = {precision::double_},
                 .per_unit = counted(model::karma, method::runge_kutta)});

}  // namespace
}  // namespace reprise::tissue
