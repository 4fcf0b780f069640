// SPDX-License-Identifier: MIT
// A Runge-Kutta method as the steps on chip need it. A cell's gates are in registers and advance from stage to stage.
// Methods whose times do not increase from stage to stage keep a second set of gates in memory.
#pragma once

#include "solvers/atrium/methods.hpp"
#include "solvers/atrium/tuned_math.hpp"

namespace reprise::atrium {

// Weights of slopes: of stages that have them kept, and of the stage under way.
struct slope_weights {
  int count;
  int stage[most_stages];
  double weight[most_stages];
  double last;
};

struct stage_plan {
  slope_weights next;    // in the argument of the next stage, or in the result
  double over;           // for how many steps the gates in registers advance; 0 if they do not
  double over_kept;      // the same for the gates that go to memory
  bool keeps_gates;      // gates advanced by over_kept go to memory, where they replace the kept ones
  bool exchanges_gates;  // after the stage, gates in registers and kept gates change places
  bool restarts_gates;   // gates in registers first return to the beginning of the step
  bool is_twice;         // they advance by twice the time of the first stage's
  bool keeps_slope;      // a later stage, or the error, needs this stage's slope
};

struct method_plan {
  int stages;
  bool is_judged;
  // Whether the last stage is evaluated at the result: if the step is accepted, its slopes are also those of the next
  // step's first stage.
  bool is_first_same_as_last;
  bool has_kept_gates;
  bool restarts_gates;  // some stage does
  stage_plan stage[most_stages];
  slope_weights error;  // found where the last stage is under way

  // Stages whose slopes enter the result.
  REPRISE_INLINED int advancing() const { return is_first_same_as_last ? stages - 1 : stages; }
};

constexpr bool have_same_gates(const method_data& m, std::size_t a, std::size_t b) {
  return m.gates_from[a] == m.gates_from[b] && m.gates_over[a] == m.gates_over[b];
}

constexpr void plan_gates(const method_data& m, std::size_t s, stage_plan& p) {
  const std::size_t next = s + 1;
  if (m.gates_from[next] == s) {
    p.over = m.gates_over[next];
    p.restarts_gates = next == m.stages && m.restarts_gates;
  } else {
    p.exchanges_gates = !have_same_gates(m, next, s);
  }
  for (std::size_t later = next + 1; later <= m.stages; ++later) {
    if (m.gates_from[later] != s || have_same_gates(m, later, next)) continue;
    p.keeps_gates = true;
    p.over_kept = m.gates_over[later];
  }
}

constexpr slope_weights weights_of(const std::array<double, most_stages>& row, std::size_t last) {
  slope_weights w{};
  for (std::size_t n = 0; n < last; ++n) {
    if (row[n] == 0) continue;
    w.stage[w.count] = static_cast<int>(n);
    w.weight[w.count++] = row[n];
  }
  w.last = row[last];
  return w;
}

constexpr method_plan plan_of(const method_data& m) {
  method_plan p{};
  const std::size_t last = m.stages - 1;
  p.stages = static_cast<int>(m.stages);
  p.is_judged = m.low_order > 0;
  p.is_first_same_as_last = p.is_judged && m.c[last] == 1 && m.a[last] == m.b && m.has_final_gates(last);
  for (std::size_t s = 0; s < m.stages; ++s) {
    stage_plan& stage = p.stage[s];
    stage.next = weights_of(s < last ? m.a[s + 1] : m.b, s);
    plan_gates(m, s, stage);
    stage.is_twice = stage.over == 2 * p.stage[0].over;
    p.restarts_gates = p.restarts_gates || stage.restarts_gates;
    p.has_kept_gates = p.has_kept_gates || stage.keeps_gates;
    bool is_needed = m.error[s] != 0 || m.b[s] != 0;
    for (std::size_t later = s + 1; later < m.stages; ++later) is_needed = is_needed || m.a[later][s] != 0;
    stage.keeps_slope = s < last && is_needed;
  }
  p.error = weights_of(m.error, last);
  return p;
}

static_assert(plan_of(data_of(scheme::bogacki_shampine)).is_first_same_as_last &&
              !plan_of(data_of(scheme::trapezoidal)).is_first_same_as_last);

// A span of time over which gates advance, and 1 - exp(-span / tau) of the two gates whose rates are constant.
struct gate_span {
  float h;
  float u_decay, fca_decay;
};

REPRISE_HOST_DEVICE inline gate_span gate_span_of(double h) {
  const auto span = static_cast<float>(h);
  return {span, decay_of(span * (1.F / 8)), decay_of(span * (1.F / 2))};
}

// Weights times the length of a step.
struct scaled_weights {
  float of[most_stages];  // in the order of slope_weights
  float last;
};

struct step_weights {
  scaled_weights next[most_stages];
  scaled_weights error;
  gate_span span[most_stages];
  gate_span kept_span[most_stages];
};

REPRISE_HOST_DEVICE inline void scale(const slope_weights& w, double h, scaled_weights& scaled) {
  for (int n = 0; n < w.count; ++n) scaled.of[n] = static_cast<float>(h * w.weight[n]);
  scaled.last = static_cast<float>(h * w.last);
}

// The part of one of `workers` that share the work.
REPRISE_HOST_DEVICE inline void fill_weights(const method_plan& p, double h, step_weights& w, int worker,
                                             int workers) {
  for (int s = worker; s <= p.stages; s += workers) {
    if (s == p.stages) {
      scale(p.error, h, w.error);
    } else {
      scale(p.stage[s].next, h, w.next[s]);
      w.span[s] = gate_span_of(h * p.stage[s].over);
      w.kept_span[s] = gate_span_of(h * p.stage[s].over_kept);
    }
  }
}

}  // namespace reprise::atrium
