// SPDX-License-Identifier: MIT
// All cores with SIMD: one cell per lane and one array per variable, the paper's memory layout for GPUs.
// Place: section 4.2, layout (18), on modern processors.
// Formula: section 3 on (8), gates by (11). Exponentials, logarithms and roots are vectorised.
#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "solvers/atrium/columns.hpp"
#include "solvers/atrium/recorder.hpp"
#include "solvers/atrium/variant.hpp"
#include "solvers/atrium/vector_math.hpp"
#include "solvers/common/base/aligned.hpp"
#include "solvers/common/base/simd.hpp"

// Vectors as wide as a cache line are passed only to inlined functions.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace reprise::atrium {
namespace {

constexpr std::size_t plain_controlled = variables;
constexpr std::size_t few_controlled = 1 + concentrations;

// Words of a whole step that must cross the memory bus if the sphere is larger than the caches: the state in
// and out, and between stages arguments, gates and slopes out and in.
work counted(const method_data& m, gate_rule rule, double word_bytes) {
  const auto stages = static_cast<double>(m.stages);
  const double slopes = slopes_of(m, rule);
  const double words = 2 * variables + slots + 3 * slopes / stages;
  return evaluation(slopes, word_bytes,
                    stages == 1 ? (2 * variables + slots) * word_bytes + 4 * slots : words * word_bytes);
}

// Everything that one stage reads and writes. Variable n of cell k is stage[..][n * stride + k].
template <class Real>
struct stage_of_step {
  std::size_t stage;
  const method_data* method;
  bool is_plain;
  bool is_judged;
  Real h;
  std::array<Real, most_stages> next;   // weights of the slopes in the argument of the next stage or result
  std::array<Real, most_stages> error;  // and in the difference to the embedded result
  Real at, rt;
  cell_constants<Real> constants;
  std::size_t stride;
  std::size_t count;  // of the sphere's cells; lanes beyond them have no part in the outcome
  const Real* state;
  std::array<Real*, most_stages + 1> cells;  // [0] is the state, [stages] the candidate
  std::array<Real*, most_stages> slope;
  const Real* weight;      // [slot * stride + k], D / d^2
  const int* neighbours;   // [slot * stride + k]
  const Real* stimulated;  // the sum of the active stimuli, [k]
};

template <class Real>
struct judged {
  Real error;
  bool is_bad;
};

template <class Real>
class block {
  using math = vector_math<Real>;
  using vector = typename math::real;
  static constexpr std::size_t lanes = vector_types<Real>::lanes;

 public:
  [[gnu::always_inline]] block(const stage_of_step<Real>& s, std::size_t k) : s_(s), k_(k) {}

  [[gnu::always_inline]] judged<Real> evaluate() const {
    vector y[variables];
    for (std::size_t n = 0; n < variables; ++n) y[n] = load(s_.cells[s_.stage] + n * s_.stride);
    auto change = courtemanche<math>::rates(s_.constants, y);
    change.v += supplied(y[at_v]);
    Real* const slope = s_.slope[s_.stage];
    store(slope, change.v);
    const std::size_t first = s_.is_plain ? first_concentration : 1;
    for (std::size_t x = 0; x < concentrations; ++x)
      store(slope + (first + x) * s_.stride, change.concentration[x]);
    if (s_.is_plain) {
      for (std::size_t g = 0; g < gates; ++g)
        store(slope + (first_gate + g) * s_.stride, change.rate[g] * (change.target[g] - y[first_gate + g]));
    } else {
      follow_gates(y, change);
    }
    return advance();
  }

 private:
  [[gnu::always_inline]] vector load(const Real* from) const {
    vector value;
    std::memcpy(&value, from + k_, sizeof value);
    return value;
  }
  [[gnu::always_inline]] void store(Real* to, const vector& value) const {
    std::memcpy(to + k_, &value, sizeof value);
  }

  // The rate of V due to stimuli and diffusion, (7).
  [[gnu::always_inline]] vector supplied(const vector& v) const {
    vector sum = load(s_.stimulated);
    const Real* const all = s_.cells[s_.stage];
    for (std::size_t slot = 0; slot < slots; ++slot) {
      const int* const names = s_.neighbours + slot * s_.stride + k_;
      vector other;
      for (std::size_t lane = 0; lane < lanes; ++lane) other[lane] = all[names[lane]];
      sum += load(s_.weight + slot * s_.stride) * (other - v);
    }
    return sum;
  }

  // Advances the gates of the stages, and of the result, that start from this stage.
  [[gnu::always_inline]] void follow_gates(const vector (&y)[variables],
                                           const cell_change<vector>& change) const {
    const method_data& m = *s_.method;
    for (std::size_t i = s_.stage + 1; i <= m.stages; ++i) {
      if (m.gates_from[i] != s_.stage) continue;
      if (i == m.stages && s_.stage + 1 < m.stages && has_copy()) continue;
      const Real over = static_cast<Real>(m.gates_over[i]) * s_.h;
      const bool restarts = i == m.stages && m.restarts_gates;
      for (std::size_t g = 0; g < gates; ++g) {
        const vector start = restarts ? load(s_.state + (first_gate + g) * s_.stride) : y[first_gate + g];
        const vector followed = courtemanche<math>::followed(start, change.rate[g], change.target[g], over);
        store(s_.cells[i] + (first_gate + g) * s_.stride, followed);
        if (i < m.stages && m.has_final_gates(i))
          store(s_.cells[m.stages] + (first_gate + g) * s_.stride, followed);
      }
    }
  }

  // Whether a later stage that starts from this one has the same gates as the result.
  [[gnu::always_inline]] bool has_copy() const {
    for (std::size_t i = s_.stage + 1; i < s_.method->stages; ++i)
      if (s_.method->has_final_gates(i)) return true;
    return false;
  }

  // Computes the next stage's argument, or the result with its error and validity.
  [[gnu::always_inline]] judged<Real> advance() const {
    const bool is_last = s_.stage + 1 == s_.method->stages;
    const std::size_t controlled = s_.is_plain ? plain_controlled : few_controlled;
    vector largest{};
    for (std::size_t n = 0; n < controlled; ++n) {
      const std::size_t variable = s_.is_plain || n == 0 ? n : first_concentration + n - 1;
      const vector before = load(s_.state + variable * s_.stride);
      vector sum{};
      vector error{};
      for (std::size_t i = 0; i <= s_.stage; ++i) {
        const vector slope = load(s_.slope[i] + n * s_.stride);
        sum += s_.next[i] * slope;
        error += s_.error[i] * slope;
      }
      store(s_.cells[s_.stage + 1] + variable * s_.stride, before + sum);
      if (!is_last || !s_.is_judged) continue;
      const vector e = magnitude(error) / (s_.at + s_.rt * magnitude(before));
      largest = math::choose(e > largest, e, largest);
    }
    if (!is_last) return {};
    Real error = 0;
    for (std::size_t lane = 0; lane < own_lanes(); ++lane) error = std::max(error, largest[lane]);
    return {error, is_any_bad()};
  }

  [[gnu::always_inline]] vector magnitude(const vector& x) const { return math::choose(x < Real(0), -x, x); }

  [[gnu::always_inline]] std::size_t own_lanes() const { return std::min(lanes, s_.count - k_); }

  [[gnu::always_inline]] bool is_any_bad() const {
    const Real* const candidate = s_.cells[s_.method->stages];
    vector nothing{};  // becomes NaN if a variable is not finite
    for (std::size_t n = 0; n < variables; ++n) nothing += load(candidate + n * s_.stride) * Real(0);
    const vector v = magnitude(load(candidate));
    const auto is_good = (nothing == Real(0)) & (v < Real(largest_voltage));
    bool is_bad = false;
    for (std::size_t lane = 0; lane < own_lanes(); ++lane) is_bad |= is_good[lane] == 0;
    return is_bad;
  }

  const stage_of_step<Real>& s_;
  std::size_t k_;
};

// Evaluates cells begin ... end - 1, where both bounds are multiples of the lanes. Returns the largest error,
// and the first block with a bad cell or `end`.
template <class Real>
[[gnu::always_inline]] inline std::pair<Real, std::size_t> evaluate_blocks(const stage_of_step<Real>& s,
                                                                           std::size_t begin,
                                                                           std::size_t end) {
  Real error = 0;
  std::size_t first_bad = end;
  for (std::size_t k = begin; k < end; k += vector_types<Real>::lanes) {
    const judged<Real> j = block<Real>(s, k).evaluate();
    error = std::max(error, j.error);
    if (j.is_bad) first_bad = std::min(first_bad, k);
  }
  return {error, first_bad};
}

// The loader can choose between clones of functions, but not of templates.
REPRISE_SIMD_CLONES std::pair<float, std::size_t> evaluate_clone(const stage_of_step<float>& s,
                                                                 std::size_t begin, std::size_t end) {
  return evaluate_blocks(s, begin, end);
}
REPRISE_SIMD_CLONES std::pair<double, std::size_t> evaluate_clone(const stage_of_step<double>& s,
                                                                  std::size_t begin, std::size_t end) {
  return evaluate_blocks(s, begin, end);
}

template <class Real>
class typed final : public solver {
 public:
  explicit typed(const device&) {}

  void load(const problem& p, precision) override {
    problem_ = p;
    stride_ = (p.cells() + lanes - 1) / lanes * lanes;
    weight_ = field(slots, Real(0));
    neighbours_ = aligned_array<int>(slots * stride_, 0);
    stimulated_ = field(1, Real(0));
    for (std::size_t slot = 0; slot < slots; ++slot)
      for (std::size_t k = 0; k < p.cells(); ++k) {
        weight_[slot * stride_ + k] = static_cast<Real>(p.diffusion * p.mesh.weight[k][slot]);
        neighbours_[slot * stride_ + k] = p.mesh.neighbours[k][slot];
      }
    cells_.clear();
    slope_.clear();
    reset(control{});
  }

  void reset(const control& c) override {
    method_ = data_of(c.method);
    is_plain_ = c.gates == gate_rule::plain;
    const std::size_t controlled = is_plain_ ? plain_controlled : few_controlled;
    while (cells_.size() <= method_.stages) cells_.push_back(field(variables, Real(0)));
    while (slope_.size() < method_.stages) slope_.push_back({});
    for (auto& slope : slope_)
      if (slope.size() < controlled * stride_) slope = field(controlled, Real(0));
    // Lanes beyond the last cell are copies of the first cell, without neighbours or stimuli.
    put_in_columns(problem_.state0, problem_.state0.front(), stride_, cells_[0].data());
    state_ = at_start(problem_, c, static_cast<int>(method_.stages), method_.low_order);
    recorder_.start(problem_, c.record_every);
    look();
  }

  progress advance(double t_end) override {
    integrate(
        state_, problem_.protocol, t_end, [&](double h, unsigned active) { return attempt(h, active); },
        [&] {
          std::swap(cells_[0], cells_[method_.stages]);
          look();
        });
    return state_;
  }

  std::vector<cell_state> state() override {
    return taken_from_columns(cells_[0].data(), stride_, problem_.cells());
  }

  recording recorded() override { return recorder_.kept(); }
  stopwatch& clock() override { return clock_; }
  work per_unit() const override { return counted(method_, state_.control.gates, sizeof(Real)); }

 private:
  static constexpr std::size_t lanes = vector_types<Real>::lanes;

  aligned_array<Real> field(std::size_t count, Real value) const {
    return aligned_array<Real>(count * stride_, value);
  }

  void look() {
    recorder_.look(state_.t, state_.accepted, [&](std::size_t k) { return cells_[0][k]; });
  }

  outcome attempt(double h, unsigned active) {
    stimulate(active);
    outcome found;
    for (std::size_t i = 0; i < method_.stages; ++i) found = evaluate(stage(i, h));
    return found;
  }

  // Updates the sum of active stimuli, which changes only at a few steps of a run.
  void stimulate(unsigned active) {
    if (active == active_) return;
    active_ = active;
    for (std::size_t k = 0; k < problem_.cells(); ++k) {
      double sum = 0;
      for (std::size_t s = 0; s < problem_.protocol.stimuli.size(); ++s)
        if ((active & problem_.stimulated[k]) >> s & 1U) sum += problem_.protocol.stimuli[s].strength;
      stimulated_[k] = static_cast<Real>(sum);
    }
  }

  stage_of_step<Real> stage(std::size_t i, double h) {
    stage_of_step<Real> s{};
    s.stage = i;
    s.method = &method_;
    s.is_plain = is_plain_;
    s.is_judged = method_.low_order > 0;
    s.h = static_cast<Real>(h);
    const auto& row = i + 1 < method_.stages ? method_.a[i + 1] : method_.b;
    for (std::size_t n = 0; n <= i; ++n) {
      s.next[n] = static_cast<Real>(h * row[n]);
      s.error[n] = static_cast<Real>(h * method_.error[n]);
    }
    s.at = static_cast<Real>(state_.control.at);
    s.rt = static_cast<Real>(state_.control.rt);
    s.constants = constants_of<Real>(problem_.cell);
    s.stride = stride_;
    s.count = problem_.cells();
    s.state = cells_[0].data();
    for (std::size_t n = 0; n <= method_.stages; ++n) s.cells[n] = cells_[n].data();
    for (std::size_t n = 0; n < method_.stages; ++n) s.slope[n] = slope_[n].data();
    s.weight = weight_.data();
    s.neighbours = neighbours_.data();
    s.stimulated = stimulated_.data();
    return s;
  }

  outcome evaluate(const stage_of_step<Real>& s) {
    constexpr std::size_t chunk = 16 * lanes;
    const bool is_large = stride_ >= 1024;  // with fewer cells, waking the threads takes longer
    Real error = 0;
    std::size_t first_bad = stride_;
#pragma omp parallel for schedule(static) if (is_large) reduction(max : error) reduction(min : first_bad)
    for (std::size_t begin = 0; begin < stride_; begin += chunk) {
      const std::size_t end = std::min(begin + chunk, stride_);
      const auto [e, bad] = evaluate_clone(s, begin, end);
      error = std::max(error, e);
      if (bad < end) first_bad = std::min(first_bad, bad);
    }
    outcome found{static_cast<double>(error), -1};
    if (s.stage + 1 == method_.stages && first_bad < stride_) found.bad_cell = bad_cell_from(first_bad);
    return found;
  }

  int bad_cell_from(std::size_t block) const {
    const aligned_array<Real>& candidate = cells_[method_.stages];
    for (std::size_t k = block; k < problem_.cells(); ++k) {
      Real nothing = 0;
      for (std::size_t n = 0; n < variables; ++n) nothing += candidate[n * stride_ + k] * 0;
      if (!(nothing == 0) || !(std::abs(candidate[k]) < Real(largest_voltage))) return static_cast<int>(k);
    }
    return static_cast<int>(block);
  }

  problem problem_;
  method_data method_{};
  bool is_plain_{};
  std::size_t stride_{};
  unsigned active_{};
  std::vector<aligned_array<Real>> cells_;  // [0] is the state, [stages] the candidate
  std::vector<aligned_array<Real>> slope_;
  aligned_array<Real> weight_;
  aligned_array<int> neighbours_;
  aligned_array<Real> stimulated_;
  progress state_;
  recorder recorder_;
  steady_stopwatch clock_;
};

using openmp = in_either_precision<typed<float>, typed<double>>;

REPRISE_VARIANT(solver, openmp,
                {.summary = "all cores with SIMD, one array a variable",
                 .place = "section 4.2, layout (18), on processors",
                 .precisions = {precision::single, precision::double_},
                 .per_unit = counted(data_of(scheme::euler), gate_rule::rush_larsen, sizeof(float))});

}  // namespace
}  // namespace reprise::atrium
