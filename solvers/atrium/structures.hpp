// SPDX-License-Identifier: MIT
// The paper's layout for processors: one structure of 21 numbers per cell, (16). Place:
// sections 4.1, 4.3 and 4.4, Algorithm 6.
//
// Each stage is one loop over the cells. The loop evaluates a cell's right-hand side and then its argument of
// the next stage, which needs no other cell.
//
// A Loop calls a body for cells 0 ... n-1 and reduces the outcomes that it returns. If the sphere is in parts
// on several ranks, it also gets voltages from the other ranks and reduces the outcome over all of them.
#pragma once

#include <cmath>
#include <vector>

#include "solvers/atrium/cell.hpp"
#include "solvers/atrium/recorder.hpp"
#include "solvers/atrium/variant.hpp"

namespace reprise::atrium {

// Compulsory traffic of a whole step: all variables of a cell in and out, weights and neighbours' numbers.
constexpr work counted(const method_data& m, gate_rule rule, double word_bytes) {
  return evaluation(slopes_of(m, rule), word_bytes,
                    ((2 * variables + slots) * word_bytes + 4 * slots) / static_cast<double>(m.stages));
}

// Combines two outcomes: the larger error and the lower bad cell.
inline outcome worse(const outcome& a, const outcome& b) {
  const bool has_both = a.bad_cell >= 0 && b.bad_cell >= 0;
  return {std::max(a.error, b.error),
          has_both ? std::min(a.bad_cell, b.bad_cell) : std::max(a.bad_cell, b.bad_cell)};
}

// The rate of V of cell k due to stimuli and diffusion, (7); `weight` is D / d^2.
template <class Real, class VoltageOf>
Real supplied(const problem& p, const std::array<Real, slots>& weight, unsigned active, std::size_t k,
              VoltageOf voltage_of) {
  Real sum = 0;
  for (std::size_t s = 0; s < p.protocol.stimuli.size(); ++s)
    if ((active & p.stimulated[k]) >> s & 1U) sum += static_cast<Real>(p.protocol.stimuli[s].strength);
  for (std::size_t slot = 0; slot < slots; ++slot)
    sum += weight[slot] * (voltage_of(static_cast<std::size_t>(p.mesh.neighbours[k][slot])) - voltage_of(k));
  return sum;
}

// For loops over a whole sphere.
struct whole_sphere {
  static std::size_t halo() { return 0; }
  static outcome of_all(const outcome& mine) { return mine; }
};

template <class Real, class Loop>
class structures : public solver {
 public:
  structures() = default;
  explicit structures(const device&) {}

  void load(const problem& p, precision) override {
    problem_ = p;
    constants_ = constants_of<Real>(p.cell);
    weight_.resize(p.cells());
    for (std::size_t k = 0; k < p.cells(); ++k)
      for (std::size_t slot = 0; slot < slots; ++slot)
        weight_[k][slot] = static_cast<Real>(p.diffusion * p.mesh.weight[k][slot]);
    reset(control{});
  }

  void reset(const control& c) override {
    method_ = data_of(c.method);
    controlled_ = c.gates == gate_rule::plain ? variables : 1 + concentrations;
    stage_.assign(method_.stages + 1, std::vector<cell>(problem_.cells() + loop_.halo()));
    slope_.assign(method_.stages, std::vector<Real>(problem_.cells() * controlled_));
    for (std::size_t k = 0; k < problem_.cells(); ++k)
      for (std::size_t n = 0; n < variables; ++n)
        stage_[0][k].y[n] = static_cast<Real>(problem_.state0[k][n]);
    state_ = at_start(problem_, c, static_cast<int>(method_.stages), method_.low_order);
    recorder_.start(problem_, c.record_every);
    look();
  }

  progress advance(double t_end) override {
    integrate(
        state_, problem_.protocol, t_end, [&](double h, unsigned active) { return attempt(h, active); },
        [&] {
          std::swap(stage_.front(), stage_.back());
          look();
        });
    return state_;
  }

  std::vector<cell_state> state() override {
    std::vector<cell_state> all(problem_.cells());
    for (std::size_t k = 0; k < all.size(); ++k)
      for (std::size_t n = 0; n < variables; ++n) all[k][n] = static_cast<double>(stage_[0][k].y[n]);
    return all;
  }

  recording recorded() override { return recorder_.kept(); }
  stopwatch& clock() override { return clock_; }
  work per_unit() const override { return counted(method_, state_.control.gates, sizeof(Real)); }

 protected:
  progress state_;
  Loop loop_;

 private:
  using model = courtemanche<library_math<Real>>;
  using weights = std::array<Real, most_stages>;

  struct cell {
    Real y[variables];
  };

  struct step {
    Real h;
    unsigned active;
    std::size_t stage;
    weights next;   // of the slopes, in the argument of the next stage or in the result
    weights error;  // of the slopes, in the difference to the embedded result
  };

  void look() {
    recorder_.look(state_.t, state_.accepted, [&](std::size_t k) { return stage_[0][k].y[at_v]; });
  }

  outcome attempt(double h, unsigned active) {
    outcome found;
    for (std::size_t i = 0; i < method_.stages; ++i) {
      step s{static_cast<Real>(h), active, i, {}, {}};
      const auto& row = i + 1 < method_.stages ? method_.a[i + 1] : method_.b;
      for (std::size_t n = 0; n <= i; ++n) {
        s.next[n] = static_cast<Real>(h * row[n]);
        s.error[n] = static_cast<Real>(h * method_.error[n]);
      }
      found = loop_.over(
          problem_.cells(), [&](std::size_t k) -> Real& { return stage_[i][k].y[at_v]; },
          [&](std::size_t k) { return evaluate(s, k); });
    }
    return loop_.of_all(found);
  }

  // The n-th of the variables that have slopes.
  std::size_t variable_of(std::size_t n) const {
    return controlled_ == variables || n == 0 ? n : first_concentration + n - 1;
  }

  outcome evaluate(const step& s, std::size_t k) {
    const cell& y = stage_[s.stage][k];
    auto change = model::rates(constants_, y.y);
    change.v += supplied(problem_, weight_[k], s.active, k,
                         [&](std::size_t other) { return stage_[s.stage][other].y[at_v]; });
    Real* const slope = &slope_[s.stage][k * controlled_];
    slope[0] = change.v;
    std::copy_n(change.concentration, concentrations, slope + controlled_ - concentrations);
    if (state_.control.gates == gate_rule::rush_larsen) {
      follow_gates(s, k, y, change);
    } else {
      for (std::size_t g = 0; g < gates; ++g)
        slope[first_gate + g] = change.rate[g] * (change.target[g] - y.y[first_gate + g]);
    }
    const bool is_last = s.stage + 1 == method_.stages;
    cell& next = stage_[s.stage + 1][k];
    for (std::size_t n = 0; n < controlled_; ++n) {
      const std::size_t variable = variable_of(n);
      next.y[variable] = stage_[0][k].y[variable] + weighted(s.next, s.stage, k, n);
    }
    return is_last ? judge(s, k) : outcome{};
  }

  // Advances the gates of the stages, and of the result, that start from this stage.
  void follow_gates(const step& s, std::size_t k, const cell& y, const cell_change<Real>& change) {
    for (std::size_t i = s.stage + 1; i <= method_.stages; ++i) {
      if (method_.gates_from[i] != s.stage) continue;
      const Real over = static_cast<Real>(method_.gates_over[i]) * s.h;
      const cell& start = i == method_.stages && method_.restarts_gates ? stage_[0][k] : y;
      for (std::size_t g = 0; g < gates; ++g)
        stage_[i][k].y[first_gate + g] =
            model::followed(start.y[first_gate + g], change.rate[g], change.target[g], over);
    }
  }

  Real weighted(const weights& w, std::size_t last, std::size_t k, std::size_t n) const {
    Real sum = 0;
    for (std::size_t i = 0; i <= last; ++i) sum += w[i] * slope_[i][k * controlled_ + n];
    return sum;
  }

  outcome judge(const step& s, std::size_t k) const {
    const cell& before = stage_[0][k];
    const cell& after = stage_.back()[k];
    Real nothing = 0;  // becomes NaN if a variable is not finite
    for (Real value : after.y) nothing += value * 0;
    outcome found;
    if (!(nothing == 0) || !(std::abs(after.y[at_v]) < Real(largest_voltage)))
      found.bad_cell = static_cast<int>(k);
    if (!state_.control.is_adaptive && method_.low_order == 0) return found;
    for (std::size_t n = 0; n < controlled_; ++n) {
      const double scale = state_.control.at + state_.control.rt * std::abs(double{before.y[variable_of(n)]});
      const double e = std::abs(double{weighted(s.error, s.stage, k, n)}) / scale;
      found.error = std::max(found.error, e);
    }
    return found;
  }

  problem problem_;
  method_data method_{};
  cell_constants<Real> constants_{};
  std::size_t controlled_{};
  std::vector<std::array<Real, slots>> weight_;  // D / d^2
  std::vector<std::vector<cell>> stage_;         // [0] is the state, [stages] the candidate
  std::vector<std::vector<Real>> slope_;         // [stage][cell, controlled variable]
  recorder recorder_;
  steady_stopwatch clock_;
};

}  // namespace reprise::atrium
