// SPDX-License-Identifier: MIT
// Integrates a sphere of cells as one system. Fixed and controlled steps, with and without Rush-Larsen, go
// stage by stage as in section 3; Boost.odeint integrates without Rush-Larsen.
#include <algorithm>
#include <boost/numeric/odeint/stepper/controlled_runge_kutta.hpp>
#include <boost/numeric/odeint/stepper/generation.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_dopri5.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>

#include "reference/atrium/cell.hpp"
#include "reference/atrium/reference.hpp"
#include "reference/atrium/tableaus.hpp"

namespace reprise::reference::atrium {
namespace {

namespace odeint = boost::numeric::odeint;

constexpr std::size_t worth_threads = 64;

void require_state(const problem& p, const state& y) {
  if (y.size() != p.cells())
    throw std::invalid_argument("a state of " + std::to_string(y.size()) + " cells for a sphere of " +
                                std::to_string(p.cells()));
}

void require_positive(double number, const char* name) {
  if (!(number > 0) || std::isinf(number))
    throw std::invalid_argument(std::string(name) + " is " + std::to_string(number) +
                                " and has to be a positive number");
}

// The rate of V due to stimuli and diffusion, that is, without the cell's own currents.
double supplied(const problem& p, const cell_state* y, std::size_t k, unsigned active) {
  double sum = 0;
  for (std::size_t s = 0; s < p.protocol.stimuli.size(); ++s)
    if ((active >> s & 1U) != 0 && (p.stimulated[k] >> s & 1U) != 0) sum += p.protocol.stimuli[s].strength;
  double flow = 0;
  for (std::size_t slot = 0; slot < slots; ++slot)
    flow +=
        (y[k][at_v] - y[static_cast<std::size_t>(p.mesh.neighbours[k][slot])][at_v]) * p.mesh.weight[k][slot];
  return sum - p.diffusion * flow;
}

cell_rates<double> rates_at(const problem& p, const cell_state* y, std::size_t k, unsigned active,
                            double jump = sodium_jump) {
  cell_rates<double> r = cell_rates_of(p.cell, y[k].data(), jump);
  r.v += supplied(p, y, k, active);
  return r;
}

using lines_of_gates = std::array<line<double>, gates>;

template <class Real>
using values_of_cell = std::array<Real, variables>;

template <class Real>
values_of_cell<Real> as_state(const cell_rates<Real>& r, const values_of_cell<Real>& y) {
  values_of_cell<Real> change{};
  change[at_v] = r.v;
  for (std::size_t g = 0; g < gates; ++g)
    change[first_gate + g] = r.gate[g].a * y[first_gate + g] + r.gate[g].b;
  for (std::size_t x = 0; x < concentrations; ++x) change[first_concentration + x] = r.concentration[x];
  return change;
}

bool is_gate(std::size_t variable) {
  return variable >= first_gate && variable < first_concentration;
}

template <class Body>
void for_cells(std::size_t cells, Body body) {
#pragma omp parallel for schedule(static) if (cells >= worth_threads)
  for (std::size_t k = 0; k < cells; ++k) body(k);
}

// The larger of two; NaN if any of them is.
double worse(double a, double b) {
  return std::isnan(a) || b <= a ? a : b;
}
#pragma omp declare reduction(worst:double : omp_out = worse(omp_out, omp_in)) initializer(omp_priv = 0)

// One step of any of the methods. The states and rates of the stages are allocated once. They are not set to zero, so
// that the threads that write them first take their pages: a large sphere has gigabytes of them.
class stepper {
 public:
  stepper(const problem& p, scheme method, gate_rule rule, double jump = sodium_jump)
      : p_(p), t_(tableau_of(method)), rule_(rule), jump_(jump) {
    for (std::size_t i = 0; i < t_.stages(); ++i) {
      gates_.push_back(std::make_unique_for_overwrite<lines_of_gates[]>(p.cells()));
      change_.push_back(std::make_unique_for_overwrite<cell_state[]>(p.cells()));
      stage_.push_back(std::make_unique_for_overwrite<cell_state[]>(p.cells()));
    }
    high_.resize(p.cells());
  }

  const state& result() const { return high_; }
  // Leaves y in place of the result.
  void exchange_result(state& y) { high_.swap(y); }
  int low_order() const { return t_.low_order; }
  long stages() const { return static_cast<long>(t_.stages()); }
  bool has_estimate() const { return !t_.low.empty(); }

  void step(const state& y, double dt, unsigned active) {
    for (std::size_t i = 0; i < t_.stages(); ++i) {
      for_cells(p_.cells(), [&](std::size_t k) { stage_[i][k] = combined(y, k, t_.a[i], i, t_.c[i], dt); });
      for_cells(p_.cells(), [&](std::size_t k) {
        const cell_rates<double> r = rates_at(p_, stage_[i].get(), k, active, jump_);
        gates_[i][k] = r.gate;
        change_[i][k] = as_state(r, stage_[i][k]);
      });
    }
    for_cells(p_.cells(), [&](std::size_t k) { high_[k] = combined(y, k, t_.high, t_.stages(), 1, dt); });
  }

  // The largest |high - low| / (at + rt |y|) over the controlled variables; NaN if any of them is NaN.
  double error(const state& y, double dt, double at, double rt) const {
    double most = 0;
    if (!has_estimate()) return most;
#pragma omp parallel for schedule(static) reduction(worst : most) if (p_.cells() >= worth_threads)
    for (std::size_t k = 0; k < p_.cells(); ++k) {
      const cell_state low = combined(y, k, t_.low, t_.stages(), 1, dt);
      for (std::size_t n = 0; n < variables; ++n) {
        if (is_gate(n) && rule_ == gate_rule::rush_larsen) continue;
        most = worse(most, std::abs(high_[k][n] - low[n]) / (at + rt * std::abs(y[k][n])));
      }
    }
    return most;
  }

 private:
  // y + dt times the weighted sum of the stages' rates. Under Rush-Larsen the gates are advanced by their own
  // rule to time c, from the latest of the first `known` stages that lies before c.
  cell_state combined(const state& y, std::size_t k, const std::vector<double>& weights, std::size_t known,
                      double c, double dt) const {
    cell_state sum = y[k];
    for (std::size_t n = 0; n < weights.size(); ++n) {
      if (weights[n] == 0) continue;
      for (std::size_t q = 0; q < variables; ++q) sum[q] += dt * weights[n] * change_[n][k][q];
    }
    if (rule_ == gate_rule::rush_larsen) follow_gates(sum, y, k, known, c, dt);
    return sum;
  }

  void follow_gates(cell_state& sum, const state& y, std::size_t k, std::size_t known, double c,
                    double dt) const {
    std::size_t from = known;
    for (std::size_t n = 0; n < known; ++n)
      if (t_.c[n] < c && (from == known || t_.c[n] >= t_.c[from])) from = n;
    const bool is_beginning = from == known;
    for (std::size_t g = first_gate; g < first_concentration; ++g) {
      if (is_beginning) {
        sum[g] = y[k][g];
        continue;
      }
      const line<double> gate = gates_[from][k][g - first_gate];
      const double rest = gate.b / gate.a;  // (11)
      const bool is_anew = t_.restarts_gates && known == t_.stages();
      const double over = is_anew ? 1 : c - t_.c[from];
      const double before = is_anew ? y[k][g] : stage_[from][k][g];
      sum[g] = std::exp(gate.a * over * dt) * (before + rest) - rest;
    }
  }

  const problem& p_;
  tableau t_;
  gate_rule rule_;
  double jump_;
  std::vector<std::unique_ptr<lines_of_gates[]>> gates_;  // [stage][cell]
  std::vector<std::unique_ptr<cell_state[]>> change_;
  std::vector<std::unique_ptr<cell_state[]>> stage_;
  state high_;
};

void record(const problem& p, double t, const state& y, recording& to) {
  to.t.push_back(t);
  for (int k : p.recorded) to.v.push_back(y[static_cast<std::size_t>(k)][at_v]);
}

// The stimulus edges and the other times inside (0, t_end), followed by t_end.
std::vector<double> stops(const problem& p, double t_end, const std::vector<double>& others = {}) {
  std::set<double> all{t_end};
  for (const auto& times : {stimulus_edges(p.protocol), others})
    for (double t : times)
      if (t > 0 && t < t_end) all.insert(t);
  return {all.begin(), all.end()};
}

void require_progress(double wanted, double t) {
  // The negated comparison also catches NaN.
  if (!(wanted > 1e-10))
    throw std::runtime_error("the step of the reference has become too small at t = " + std::to_string(t));
}

// (15) within the guards.
double next_length(double dt, double error, int low_order) {
  const double factor = std::isfinite(error) ? std::pow(.9 / error, 1.0 / (low_order + 1)) : .1;
  return dt * std::clamp(factor, .1, 5.);
}

// Advances from `t` to `end`. No stimulus edge may lie between them.
void advance(const problem& p, stepper& by, double at, double rt, double& t, double end, double& wanted,
             run& r) {
  while (t < end) {
    const bool is_last = wanted >= end - t;
    const double dt = is_last ? end - t : wanted;
    by.step(r.y, dt, stimuli_at(p.protocol, t + dt / 2));
    const double error = by.error(r.y, dt, at, rt);
    const bool is_accepted = error <= 1;
    if (is_accepted) {
      t = is_last ? end : t + dt;
      by.exchange_result(r.y);
      ++r.accepted;
      record(p, t, r.y, r.recorded);
    } else {
      ++r.rejected;
    }
    if (!(is_accepted && is_last)) wanted = next_length(dt, error, by.low_order());
    require_progress(wanted, t);
  }
}

// Whether all variables are finite and the voltage is one that a cell can have.
bool is_cell(const cell_state& y) {
  constexpr double largest_voltage = 300;
  return std::all_of(y.begin(), y.end(), [](double x) { return std::isfinite(x); }) &&
         std::abs(y[at_v]) < largest_voltage;
}

bool are_cells(const state& y) {
  bool are = true;
#pragma omp parallel for schedule(static) reduction(&& : are) if (y.size() >= worth_threads)
  for (std::size_t k = 0; k < y.size(); ++k) are = are && is_cell(y[k]);
  return are;
}

void attempt_adaptive(const problem& p, stepper& next, const stepping& by, moment& m, double t_end,
                      double accepted_error) {
  double stop = t_end;
  for (double edge : stimulus_edges(p.protocol))
    if (edge > m.t) stop = std::min(stop, edge);
  const bool is_last = m.wanted >= stop - m.t;
  const bool is_cut = m.wanted > stop - m.t;
  const double dt = is_last ? stop - m.t : m.wanted;
  next.step(m.y, dt, stimuli_at(p.protocol, m.t + dt / 2));
  m.error = next.error(m.y, dt, by.at, by.rt);
  const bool is_possible = are_cells(next.result());
  const bool is_accepted = is_possible && m.error <= accepted_error;
  if (is_accepted) {
    m.t = is_last ? stop : m.t + dt;
    next.exchange_result(m.y);
  }
  ++(is_accepted ? m.accepted : m.rejected);
  if (!(is_accepted && is_cut))
    m.wanted =
        next_length(dt, is_possible ? m.error : std::numeric_limits<double>::infinity(), next.low_order());
}

void attempt_fixed(const problem& p, stepper& next, const stepping& by, moment& m, double t_end) {
  constexpr double slack = 1e-6;  // of a step: multiples of dt are rounded
  double end = (std::floor(m.t / by.dt + slack) + 1) * by.dt;
  if (end >= t_end - slack * by.dt) end = t_end;
  double dt = end - m.t;
  if (std::abs(dt - by.dt) < slack * by.dt) dt = by.dt;
  next.step(m.y, dt, stimuli_at(p.protocol, m.t + dt / 2));
  m.error = next.error(m.y, dt, 1, 0);
  const bool is_accepted = are_cells(next.result());
  ++(is_accepted ? m.accepted : m.rejected);
  if (!is_accepted) return;
  m.t = end;
  next.exchange_result(m.y);
}

using flat = std::vector<double>;  // all variables of one cell, then those of the next

flat flatten(const state& cells) {
  flat y;
  y.reserve(variables * cells.size());
  for (const cell_state& cell : cells) y.insert(y.end(), cell.begin(), cell.end());
  return y;
}

state unflatten(const flat& y) {
  state cells(y.size() / variables);
  for (std::size_t k = 0; k < cells.size(); ++k) std::copy_n(&y[k * variables], variables, cells[k].begin());
  return cells;
}

// The right-hand side in Boost.odeint's form, with a fixed set of active stimuli.
class system_of {
 public:
  system_of(const problem& p, unsigned active) : p_(&p), active_(active) {}
  void operator()(const flat& y, flat& dy_dt, double /*t*/) const {
    dy_dt = flatten(rate(*p_, unflatten(y), active_));
  }

 private:
  const problem* p_;
  unsigned active_;
};

}  // namespace

unsigned stimuli_at(const protocol& what, double t) {
  constexpr double slack = 1e-9;  // keeps rounding out of the decision
  unsigned on = 0;
  for (std::size_t s = what.stimuli.size(); s-- > 0;) {
    const stimulus& one = what.stimuli[s];
    on = 2 * on + (t >= one.start - slack && t < one.start + one.length - slack ? 1U : 0U);
  }
  return on;
}

std::vector<double> stimulus_edges(const protocol& what) {
  std::set<double> edges;
  for (const stimulus& one : what.stimuli) {
    edges.insert(one.start);
    edges.insert(one.start + one.length);
  }
  return {edges.begin(), edges.end()};
}

state rate(const problem& p, const state& y, unsigned active) {
  require_state(p, y);
  state change(p.cells());
  for_cells(p.cells(), [&](std::size_t k) { change[k] = as_state(rates_at(p, y.data(), k, active), y[k]); });
  return change;
}

std::array<gate_line, gates> gates_of(const problem& p, const cell_state& y) {
  const auto r = cell_rates_of(p.cell, y.data());
  std::array<gate_line, gates> lines{};
  for (std::size_t g = 0; g < gates; ++g) lines[g] = {r.gate[g].a, r.gate[g].b};
  return lines;
}

stepped steps(const problem& p, scheme method, gate_rule rule, double dt, long count, double jump) {
  require_positive(dt, "the step");
  stepper by(p, method, rule, jump);
  stepped s{.y = p.state0, .recorded = {}};
  record(p, 0, s.y, s.recorded);
  for (long n = 0; n < count; ++n) {
    by.step(s.y, dt, stimuli_at(p.protocol, (static_cast<double>(n) + .5) * dt));
    s.error = by.error(s.y, dt, 1, 0);
    by.exchange_result(s.y);
    s.evaluations += by.stages();
    record(p, static_cast<double>(n + 1) * dt, s.y, s.recorded);
  }
  return s;
}

int first_bad_cell(const state& y) {
  const auto bad = std::find_if_not(y.begin(), y.end(), is_cell);
  return bad == y.end() ? -1 : static_cast<int>(bad - y.begin());
}

moment continued(const problem& p, const stepping& by, moment from, double t_end, long attempts,
                 const decisions& taken) {
  require_state(p, from.y);
  stepper next(p, by.method, by.rule, taken.jump);
  for (long n = 0; n < attempts && from.t < t_end; ++n) {
    const long failed = from.rejected;
    const long taken_before = from.accepted;
    by.is_adaptive ? attempt_adaptive(p, next, by, from, t_end, taken.accepted_error)
                   : attempt_fixed(p, next, by, from, t_end);
    if (from.accepted > taken_before) record(p, from.t, from.y, from.recorded);
    if (!by.is_adaptive && from.rejected > failed) break;
  }
  return from;
}

run adaptive(const problem& p, scheme method, gate_rule rule, double at, double rt, double t_end) {
  require_positive(at, "the absolute tolerance");
  require_positive(t_end, "the end");
  stepper by(p, method, rule);
  if (!by.has_estimate())
    throw std::invalid_argument(std::string(to_string(method)) + " has no error estimate");
  run r{.y = p.state0, .recorded = {}};
  record(p, 0, r.y, r.recorded);
  double t = 0;
  double wanted = .01;
  for (double stop : stops(p, t_end)) advance(p, by, at, rt, t, stop, wanted, r);
  return r;
}

run paper_reference(const problem& p, double t_end) {
  return adaptive(p, scheme::cash_karp, gate_rule::rush_larsen, 1e-3, 1e-6, t_end);
}

run integrate(const problem& p, double t_end, double tolerance, const std::vector<double>& at) {
  require_positive(t_end, "the end");
  require_positive(tolerance, "the tolerance");
  run r{.y = p.state0, .recorded = {}};
  record(p, 0, r.y, r.recorded);
  flat y = flatten(p.state0);
  double t = 0;
  double wanted = 1e-3;
  for (double stop : stops(p, t_end, at)) {
    const system_of system(p, stimuli_at(p.protocol, (t + stop) / 2));
    // A new stepper for each interval: this method reuses the last rate of the step before, which does not
    // include a stimulus that begins here.
    auto stepper = odeint::make_controlled(tolerance, tolerance, odeint::runge_kutta_dopri5<flat>());
    while (t < stop) {
      const bool is_last = wanted >= stop - t;
      double dt = std::min(wanted, stop - t);
      const bool is_accepted = stepper.try_step(std::cref(system), y, t, dt) == odeint::success;
      if (is_accepted && is_last) t = stop;
      if (!(is_accepted && is_last)) wanted = dt;
      require_progress(wanted, t);
      is_accepted ? ++r.accepted : ++r.rejected;
      if (!is_accepted) continue;
      r.y = unflatten(y);
      record(p, t, r.y, r.recorded);
    }
  }
  return r;
}

cell_state integrate_in_long_double(const problem& p, double t_end, double tolerance) {
  require_positive(t_end, "the end");
  require_positive(tolerance, "the tolerance");
  require_state(p, p.state0);
  if (p.cells() != 1 || !p.protocol.stimuli.empty())
    throw std::invalid_argument("only one cell without stimuli is integrated in long double");
  using real = long double;
  using cell = values_of_cell<real>;
  const auto system = [&](const cell& y, cell& dy_dt, real /*t*/) {
    dy_dt = as_state(cell_rates_of(p.cell, y.data()), y);
  };
  cell y{};
  std::copy(p.state0[0].begin(), p.state0[0].end(), y.begin());
  const auto allowed = static_cast<real>(tolerance);
  auto stepper = odeint::make_controlled(allowed, allowed, odeint::runge_kutta_dopri5<cell, real>());
  real t = 0;
  real wanted = 1e-3L;
  while (t < t_end) {
    const bool is_last = wanted >= t_end - t;
    real dt = is_last ? t_end - t : wanted;
    if (stepper.try_step(system, y, t, dt) == odeint::success && is_last) break;
    wanted = dt;
    require_progress(static_cast<double>(wanted), static_cast<double>(t));
  }
  cell_state rounded{};
  std::transform(y.begin(), y.end(), rounded.begin(), [](real x) { return static_cast<double>(x); });
  return rounded;
}

}  // namespace reprise::reference::atrium
