// SPDX-License-Identifier: MIT
// Steps of a block's cells on chip. A stage computes the currents at its argument and sends the next voltages. Only
// then does it advance gates and concentrations, while the mail is on its way.
#pragma once

#include "solvers/atrium/tuned_mail.hpp"

namespace reprise::atrium {
inline namespace REPRISE_CUDA_FLAVOUR {

// euler            the step's only stage advances the state itself
// fixed_by_decays  several stages; gates always advance by the same time or twice it, and the table has their decays
// fixed_by_rates   several stages; the table has rates
// adaptive         the same, with steps that errors choose
enum class steps_kind { euler, fixed_by_decays, fixed_by_rates, adaptive };

REPRISE_INLINED constexpr follow_by rule_of(steps_kind kind) {
  switch (kind) {
    case steps_kind::euler:
      return follow_by::decay;
    case steps_kind::fixed_by_decays:
      return follow_by::decay_or_twice;
    default:
      return follow_by::rate;
  }
}

// Consecutive steps of one length under the same stimuli.
struct stretch {
  long long before;  // steps of the run before these
  int steps;
  double h;
  unsigned active;
  bool judges;            // finds the error of the last step
  unsigned tag;           // last tag that was used for mail
  double first_multiple;  // step n ends at (first_multiple + n) dt,
  double dt, end;         // except that the last one ends at `end`
  step_weights weights;
};

// A stage of the step under way. v and v_next are the voltages of its argument and of the next one.
struct stage_under_way {
  int stage;
  const float* v;
  float* v_next;
  unsigned tag;
};

// Computes the currents.
template <int cells_of_thread>
__device__ inline void evaluate(thread_cells<cells_of_thread>& mine, const tuned_data& d,
                                const shared_layout& l, const patch_place& at, const float* v) {
#pragma unroll
  for (int c = 0; c < cells_of_thread; ++c) {
    const int place = at.of_cell(c);
    const ring near = l.rings[place];
    const float here = mine.y[c][at_v];
    const table_reader table(l.table, d.table, d.rows_held, here);
    mine.change[c] =
        membrane_current(mine.y[c], table, mine.i[c]) + diffused(l, near, v, here, at.room, place);
  }
}

constexpr int lanes = static_cast<int>(lanes_of_warp);

// Adds the stored slopes of the concentrations, weighted, to `sum`.
__device__ inline void add_slopes(float (&sum)[concentrations], const float* kept, const slope_weights& of,
                                  const scaled_weights& w) {
#pragma unroll 1
  for (int n = 0; n < of.count; ++n) {
    const float* const slope =
        kept + (field::slopes + of.stage[n] * static_cast<int>(concentrations)) * lanes;
#pragma unroll
    for (int x = 0; x < static_cast<int>(concentrations); ++x) sum[x] += w.of[n] * slope[x * lanes];
  }
}

// The same sum for V.
__device__ inline float summed_slopes(const shared_layout& l, int room, int place, const slope_weights& of,
                                      const scaled_weights& w, float slope) {
  float sum = w.last * slope;
#pragma unroll 1
  for (int n = 0; n < of.count; ++n) sum += w.of[n] * l.slope[of.stage[n] * room + place];
  return sum;
}

// The voltage of the next argument from V's slopes, which are in shared memory.
__device__ inline float next_voltage(const tuned_data& d, const shared_layout& l, const step_weights& w,
                                     int room, int stage, int place, float here, float slope) {
  if (d.plan.stage[stage].keeps_slope) l.slope[stage * room + place] = slope;
  const float sum = summed_slopes(l, room, place, d.plan.stage[stage].next, w.next[stage], slope);
  if (stage != 0) return l.base[place] + sum;
  l.base[place] = here;
  return here + sum;
}

// Computes and sends the next voltages.
template <steps_kind kind, int cells_of_thread, class Mail>
__device__ inline void advance_voltages(thread_cells<cells_of_thread>& mine, const tuned_data& d,
                                        const shared_layout& l, const patch_place& at, const step_weights& w,
                                        unsigned active, const stage_under_way& now, const Mail& mail,
                                        bool is_sent) {
  unsigned long long* const boxes = mail.boxes(d, now.tag);
#pragma unroll
  for (int c = 0; c < cells_of_thread; ++c) {
    const int place = at.of_cell(c);
    const bool is_own = at.is_own(place);
    const float here = mine.y[c][at_v];
    if constexpr (kind == steps_kind::euler) {
      mine.v_next[c] = here + w.next[0].last * (mine.change[c] + mine.stimulus[c]);
      if (is_own) now.v_next[place] = mine.v_next[c];
    } else if (is_own) {
      mine.change[c] += stimulus_of(d.s, active, at.first + place);
      now.v_next[place] = next_voltage(d, l, w, at.room, now.stage, place, here, mine.change[c]);
    }
    if (is_sent && l.rings[place].wanted != 0)
      mail.post(boxes + at.first + place, l.rings[place].wanted, now.tag,
                kind == steps_kind::euler ? mine.v_next[c] : now.v_next[place]);
  }
}

// The error e of a cell, from its slopes in the last stage and the kept ones.
__device__ inline float error_of(const tuned_data& d, const shared_layout& l, const step_weights& w, int room,
                                 int place, const float* kept, float slope_v,
                                 const float (&slope)[concentrations]) {
  const float of_v = summed_slopes(l, room, place, d.plan.error, w.error, slope_v);
  float of_concentration[concentrations];
#pragma unroll
  for (int x = 0; x < static_cast<int>(concentrations); ++x) of_concentration[x] = w.error.last * slope[x];
  add_slopes(of_concentration, kept, d.plan.error, w.error);
  float largest = fabsf(of_v) * fast::inverse(d.at + d.rt * fabsf(l.base[place]));
#pragma unroll
  for (int x = 0; x < static_cast<int>(concentrations); ++x) {
    const float before = l.concentration[x * room + place];
    const float e = fabsf(of_concentration[x]) * fast::inverse(d.at + d.rt * fabsf(before));
    largest = e > largest ? e : largest;
  }
  return largest;
}

// The concentrations of the next argument, from their slopes.
template <steps_kind kind>
__device__ inline void advance_concentrations(float (&y)[variables], const method_plan& plan,
                                              const step_weights& w, int stage, float* base, int room,
                                              float* kept, const float (&slope)[concentrations]) {
  if constexpr (kind == steps_kind::euler) {
#pragma unroll
    for (int x = 0; x < static_cast<int>(concentrations); ++x)
      y[first_concentration + x] += w.next[0].last * slope[x];
  } else {
    float sum[concentrations];
#pragma unroll
    for (int x = 0; x < static_cast<int>(concentrations); ++x) sum[x] = w.next[stage].last * slope[x];
    add_slopes(sum, kept, plan.stage[stage].next, w.next[stage]);
    if (plan.stage[stage].keeps_slope) {
      float* const to = kept + (field::slopes + stage * static_cast<int>(concentrations)) * lanes;
#pragma unroll
      for (int x = 0; x < static_cast<int>(concentrations); ++x) to[x * lanes] = slope[x];
    }
#pragma unroll
    for (int x = 0; x < static_cast<int>(concentrations); ++x) {
      float& here = y[first_concentration + x];
      if (stage == 0) base[x * room] = here;
      here = (stage == 0 ? here : base[x * room]) + sum[x];
    }
  }
}

// Gates in registers and other gates in memory change places.
__device__ inline void exchange_gates(float (&y)[variables], float* kept) {
#pragma unroll
  for (int g = 0; g < static_cast<int>(gates); ++g) {
    float* const other = kept + (field::other_gates + g) * lanes;
    const float here = y[first_gate + g];
    y[first_gate + g] = *other;
    *other = here;
  }
}

// Advances the gates of one cell in registers, and those of a later stage in memory.
template <steps_kind kind>
__device__ inline void advance_gates(float (&y)[variables], const method_plan& plan,
                                     const table_reader& table, const flows& i, const step_weights& w,
                                     int stage, float* kept) {
  constexpr follow_by rule = rule_of(kind);
  const auto in_place = [&](variable gate, float value) { y[gate] = value; };
  if constexpr (kind == steps_kind::euler) {
    follow_gates<rule>(y, table, i, w.span[0], false, in_place);
  } else {
    const bool keeps =
        kind == steps_kind::adaptive || (rule == follow_by::decay_or_twice && plan.restarts_gates);
    if (stage == 0 && keeps) {
#pragma unroll
      for (int g = 0; g < static_cast<int>(gates); ++g) kept[(field::gates + g) * lanes] = y[first_gate + g];
    }
    const stage_plan& now = plan.stage[stage];
    if constexpr (rule == follow_by::rate) {
      if (now.keeps_gates)
        follow_gates<rule>(y, table, i, w.kept_span[stage], false, [&](variable gate, float value) {
          kept[(field::other_gates + gate - static_cast<int>(first_gate)) * lanes] = value;
        });
    }
    if constexpr (rule == follow_by::decay_or_twice) {
      if (now.restarts_gates) {
#pragma unroll
        for (int g = 0; g < static_cast<int>(gates); ++g)
          y[first_gate + g] = kept[(field::gates + g) * lanes];
      }
    }
    if (now.over > 0) follow_gates<rule>(y, table, i, w.span[stage], now.is_twice, in_place);
    if constexpr (rule == follow_by::rate) {
      if (now.exchanges_gates) exchange_gates(y, kept);
    }
  }
}

// The second half of a stage. Where `judges`, raises `worst` to the errors of the thread's cells. Calls report_bad(k) for
// each bad cell of a step's result.
template <steps_kind kind, int cells_of_thread, class Report>
__device__ inline void advance_rest(thread_cells<cells_of_thread>& mine, const tuned_data& d,
                                    const shared_layout& l, const patch_place& at, const step_weights& w,
                                    const stage_under_way& now, bool is_result, bool judges, unsigned& worst,
                                    Report report_bad) {
#pragma unroll
  for (int c = 0; c < cells_of_thread; ++c) {
    const int place = at.of_cell(c);
    const bool is_own = at.is_own(place);
    const table_reader table(l.table, d.table, d.rows_held, mine.y[c][at_v]);
    float* const kept = at.kept(d, cells_of_thread, c);
    advance_gates<kind>(mine.y[c], d.plan, table, mine.i[c], w, now.stage, kept);
    float slope[concentrations];
    concentration_slopes(mine.y[c], mine.i[c], slope);
    advance_concentrations<kind>(mine.y[c], d.plan, w, now.stage, l.concentration + place, at.room, kept,
                                 slope);
    if constexpr (kind != steps_kind::euler) {
      if (judges && is_own)
        worst = max(worst, __float_as_uint(error_of(d, l, w, at.room, place, kept, mine.change[c], slope)));
    }
    if constexpr (kind == steps_kind::euler) {
      mine.y[c][at_v] = mine.v_next[c];
    } else if (is_own) {
      mine.y[c][at_v] = now.v_next[place];
    }
    if (is_result && is_own && is_bad(mine.y[c])) report_bad(at.first + place);
  }
}

template <class Mail>
__device__ inline void collect_margin(const tuned_data& d, const shared_layout& l, const stage_under_way& now,
                                      const Mail& mail) {
  const unsigned long long* const boxes = mail.boxes(d, now.tag);
  for (auto m = static_cast<int>(threadIdx.x); m < l.margin_count; m += static_cast<int>(blockDim.x))
    mail.collect(d, boxes, l.margin_cells[m], now.tag, now.v_next[d.patch_cells + m]);
}

// Makes the steps of a stretch.
template <steps_kind kind, int cells_of_thread, class Mail>
__device__ inline void follow_stretch(thread_cells<cells_of_thread>& mine, const tuned_data& d,
                                      const shared_layout& l, const patch_place& at, const stretch& now,
                                      const sample_data<float>& samples, const Mail& mail) {
  const int stages = kind == steps_kind::euler ? 1 : d.plan.stages;
  stage_under_way under_way{0, l.voltage[0], l.voltage[1], now.tag};
  float* v = l.voltage[0];
  float* v_next = l.voltage[1];
  unsigned worst = 0;
  auto until_sample = samples.every == 0 ? -1 : static_cast<int>(samples.every - now.before % samples.every);
  for (int n = 0; n < now.steps; ++n) {
    for (int s = 0; s < stages; ++s) {
      const bool is_result = s + 1 == stages;
      const bool is_last = is_result && n + 1 == now.steps;
      under_way = {s, v, v_next, under_way.tag + 1};
      evaluate(mine, d, l, at, v);
      advance_voltages<kind>(mine, d, l, at, now.weights, now.active, under_way, mail, !is_last);
      advance_rest<kind>(
          mine, d, l, at, now.weights, under_way, is_result, is_last && now.judges, worst, [&](int k) {
            atomicMin(d.bad,
                      static_cast<unsigned long long>(now.before + n) << 32U | static_cast<unsigned>(k));
          });
      if (!is_last) collect_margin(d, l, under_way, mail);
      v_next = v;
      v = under_way.v_next;
      __syncthreads();
    }
    if (--until_sample != 0) continue;
    until_sample = samples.every;
    const double t = n + 1 == now.steps ? now.end : (now.first_multiple + n) * now.dt;
    keep_voltages(d, samples, v, static_cast<int>((now.before + n + 1) / samples.every) - samples.first, t);
  }
  if (kind != steps_kind::euler && now.judges) raise_worst(d.error, worst);
}

// Makes a stretch of a block's patch, from the state that the preceding launch has left.
template <steps_kind kind, int cells_of_thread, class Mail>
__device__ inline void make_stretch(const tuned_data& d, const stretch& now,
                                    const sample_data<float>& samples, const Mail& mail, const float* from,
                                    float* to) {
  const patch_place at(d, cells_of_thread);
  const shared_layout l(d, at.room);
  fill(l, d, at, from);
  thread_cells<cells_of_thread> mine;
  mine.load(d, l, at, from);
  if constexpr (kind == steps_kind::euler) mine.stimulate(d, at, now.active);
  __syncthreads();
  mail.exchange_first(mine, d, l, at, now.tag);
  follow_stretch<kind>(mine, d, l, at, now, samples, mail);
  mine.store(d, at, to);
}

// Stores the voltages at the beginning of a step, of own cells and of the margin; own ones are stored by next_voltage().
__device__ inline void keep_margin(const tuned_data& d, const shared_layout& l, const float* v) {
  for (auto m = static_cast<int>(threadIdx.x); m < l.margin_count; m += static_cast<int>(blockDim.x))
    l.base[d.patch_cells + m] = v[d.patch_cells + m];
}

// Returns to the beginning of a rejected step.
template <int cells_of_thread>
__device__ inline void return_to_base(thread_cells<cells_of_thread>& mine, const tuned_data& d,
                                      const shared_layout& l, const patch_place& at, float* v) {
#pragma unroll
  for (int c = 0; c < cells_of_thread; ++c) {
    const int place = at.of_cell(c);
    if (!at.is_own(place)) continue;
    const float* const kept = at.kept(d, cells_of_thread, c);
    mine.y[c][at_v] = v[place] = l.base[place];
#pragma unroll
    for (int g = 0; g < static_cast<int>(gates); ++g)
      mine.y[c][first_gate + g] = kept[(field::gates + g) * lanes];
#pragma unroll
    for (int x = 0; x < static_cast<int>(concentrations); ++x)
      mine.y[c][first_concentration + x] = l.concentration[x * at.room + place];
  }
  for (auto m = static_cast<int>(threadIdx.x); m < l.margin_count; m += static_cast<int>(blockDim.x))
    v[d.patch_cells + m] = l.base[d.patch_cells + m];
  __syncthreads();
}

// The error of the block's cells if the last stage has been evaluated at the result.
template <int cells_of_thread>
__device__ inline unsigned worst_at_result(const thread_cells<cells_of_thread>& mine, const tuned_data& d,
                                           const shared_layout& l, const patch_place& at) {
  unsigned worst = 0;
#pragma unroll
  for (int c = 0; c < cells_of_thread; ++c) {
    const int place = at.of_cell(c);
    if (!at.is_own(place)) continue;
    const float stimulus = stimulus_of(d.s, l.run->active, at.first + place);
    float slope[concentrations];
    concentration_slopes(mine.y[c], mine.i[c], slope);
    const float error = error_of(d, l, l.run->weights, at.room, place, at.kept(d, cells_of_thread, c),
                                 mine.change[c] + stimulus, slope);
    worst = max(worst, __float_as_uint(error));
  }
  return worst;
}

// Makes attempts until the run pauses or ends, or the launch has made its number of them. After the last stage the
// cells go on as if the step were accepted: the next step's first stage is evaluated, or has been, before the decision
// arrives. A rejected step returns to its beginning.
template <int cells_of_thread>
__device__ inline void follow_errors(thread_cells<cells_of_thread>& mine, const tuned_data& d,
                                     const shared_layout& l, const patch_place& at,
                                     const adaptive_launch& launch, const sample_data<float>& samples) {
  run_of_block& run = *l.run;
  const int advancing = d.plan.advancing();
  float* v = l.voltage[0];
  float* v_next = l.voltage[1];
  unsigned tag = run.tag;
  int stage = 0;
  for (;;) {
    evaluate(mine, d, l, at, v);
    if (stage == advancing) {
      if (d.plan.is_first_same_as_last) {
        raise_worst(&run.worst, worst_at_result(mine, d, l, at));
        __syncthreads();
        if (threadIdx.x == 0) post_verdict(run, launch);
      }
      if (threadIdx.x < lanes_of_warp) decide(run, d.plan, launch, d.patience);
      __syncthreads();
      if (run.sample >= 0) keep_voltages(d, samples, v, run.sample, run.state.t);
      const bool is_over = run.state.state != ending::running || run.attempts == launch.most_attempts;
      if (!run.is_accepted) return_to_base(mine, d, l, at, v);
      if (is_over) break;
      stage = 0;
      if (!run.is_accepted) continue;
    }
    const bool is_result = stage + 1 == advancing;
    const bool judges = is_result && !d.plan.is_first_same_as_last;
    const stage_under_way under_way{stage, v, v_next, ++tag};
    unsigned worst = 0;
    advance_voltages<steps_kind::adaptive>(mine, d, l, at, run.weights, run.active, under_way, near_mail{},
                                           true);
    if (stage == 0) keep_margin(d, l, v);
    advance_rest<steps_kind::adaptive>(mine, d, l, at, run.weights, under_way, is_result, judges, worst,
                                       [&](int k) { worst = max(worst, word_of_bad(k)); });
    if (is_result) raise_worst(&run.worst, worst);
    collect_margin(d, l, under_way, near_mail{});
    v_next = v;
    v = under_way.v_next;
    ++stage;
    __syncthreads();
    if (judges && threadIdx.x == 0) post_verdict(run, launch);
  }
  if (threadIdx.x == 0) run.tag = tag;
}

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::atrium
