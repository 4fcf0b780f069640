// SPDX-License-Identifier: MIT
// One stage of a method for LANES cells, the errors of an attempt, and their maximum; follows cells.cl.
// Variable n of cell k is element [n * stride + k]. Cells from `cells` to the end of a row only fill it: they
// are computed, and have no part in the outcome.

#ifdef PLAIN
#define CONTROLLED VARIABLES
#define VARIABLE_OF(n) (n)
#else
#define CONTROLLED 6
#define VARIABLE_OF(n) ((n) == 0 ? 0 : AT_NAI + (n)-1)
#endif

// The sum weights[0] k_0 + ... over the first `count` slopes of the n-th controlled variable.
inline real slope_sum(const number* weights, global const number* slopes, int count, int n, int stride, int first) {
  real sum = 0;
  for (int i = 0; i < count; ++i)
    sum += weights[i] * LOADED(slopes, (i * CONTROLLED + n) * stride + first);
  return sum;
}

// A stage of attempt `attempt` since the host last looked. Word a of `bad` holds what attempts before a have found:
// an attempt and its first bad cell. A launch reads word `attempt` and writes only the next one, so that
// work-items do not wait for each other.
kernel void evaluate_stage(const int cells, const int stride, const number acetylcholine, const number counts,
                           const eight_numbers strengths, global const number* weight,
                           global const int* neighbours, global const uchar* stimulated, const unsigned active,
                           const int stage, const int is_last, const int keeps_slope, const eight_numbers next,
                           global number* slopes, global const number* state, global const number* here,
                           global number* onto, const int targets, const int restarts, const number over0,
                           const number over1, const number over2, global number* gates0,
                           global number* gates1, global number* gates2, const int is_judged,
                           const unsigned attempt, global unsigned* bad) {
  const int first = get_global_id(0) * LANES;
  if (first >= cells) return;
  if (!is_judged && bad[attempt] != NO_CELL) {
    if (is_last && first == 0) atomic_min(&bad[attempt + 1], bad[attempt]);
    return;
  }
  real y[VARIABLES];
  for (int n = 0; n < VARIABLES; ++n) y[n] = LOADED(here, n * stride + first);
  struct change r;
#ifndef PLAIN
  r.before = restarts ? state : 0;
  r.onto[0] = gates0;
  r.onto[1] = gates1;
  r.onto[2] = gates2;
  r.over[0] = over0;
  r.over[1] = over1;
  r.over[2] = over2;
  r.targets = targets;
  r.stride = stride;
  r.first = first;
  r.nothing = 0;
#endif
  rates_of_cells(acetylcholine, counts, y, &r);
  r.v += supplied(first, stride, active, strengths, here, weight, neighbours, stimulated);

  number weights[8];
  vstore8(next, 0, weights);
  real nothing = 0;
  for (int n = 0; n < CONTROLLED; ++n) {
#ifdef PLAIN
    const real slope = n == 0 ? r.v : n <= GATES ? r.gate_slope[n - 1] : r.concentration[n - 1 - GATES];
#else
    const real slope = n == 0 ? r.v : r.concentration[n - 1];
#endif
    const int at = VARIABLE_OF(n) * stride + first;
    const real value =
        LOADED(state, at) + (slope_sum(weights, slopes, stage, n, stride, first) + weights[stage] * slope);
    STORE(value, onto, at);
    nothing += value * 0;
    if (n == 0) nothing += refused(value);
    if (keeps_slope) STORE(slope, slopes, (stage * CONTROLLED + n) * stride + first);
  }
  if (is_judged || !is_last) return;
#ifndef PLAIN
  nothing += r.nothing;
#endif
  const unsigned cell = first_bad(nothing, first, cells);
  if (cell != NO_CELL) atomic_min(&bad[attempt + 1], attempt << CELL_BITS | cell);
}

// The larger of two errors; NaN if one of them is.
inline number worse(number a, number b) {
  return a >= b || isnan(a) ? a : b;
}

// Leaves the largest error and the first bad cell of a group in its first element.
inline void reduce_group(local number* errors, local unsigned* bad) {
  const int self = get_local_id(0);
  for (int count = get_local_size(0); count > 1;) {
    const int half_of_it = (count + 1) / 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (self + half_of_it < count) {
      errors[self] = worse(errors[self], errors[self + half_of_it]);
      bad[self] = min(bad[self], bad[self + half_of_it]);
    }
    count = half_of_it;
  }
}

// The largest error and the first bad cell of each group, from slopes in memory.
kernel void find_errors(const int cells, const int stride, const int stages, const eight_numbers weights_of_error,
                        const number at, const number rt, global const number* slopes,
                        global const number* state, global const number* result, global number* errors,
                        global unsigned* bad, local number* group_errors, local unsigned* group_bad) {
  const int self = get_local_id(0);
  const int first = get_global_id(0) * LANES;
  number largest = 0;
  unsigned cell = NO_CELL;
  if (first < cells) {
    number weights[8];
    vstore8(weights_of_error, 0, weights);
    for (int n = 0; n < CONTROLLED; ++n) {
      const real sum = slope_sum(weights, slopes, stages, n, stride, first);
      const real before = LOADED(state, VARIABLE_OF(n) * stride + first);
      number each[LANES];
      STORE(fabs(sum) / (at + rt * fabs(before)), each, 0);
      for (int lane = 0; lane < LANES; ++lane)
        if (first + lane < cells) largest = worse(largest, each[lane]);
    }
    real nothing = refused(LOADED(result, first));
    for (int n = 0; n < VARIABLES; ++n) nothing += LOADED(result, n * stride + first) * 0;
    cell = first_bad(nothing, first, cells);
  }
  group_errors[self] = largest;
  group_bad[self] = cell;
  reduce_group(group_errors, group_bad);
  if (self != 0) return;
  errors[get_group_id(0)] = group_errors[0];
  bad[get_group_id(0)] = group_bad[0];
}

// The same of all groups, by one group: element `count` gets them.
kernel void reduce_errors(const int count, global number* errors, global unsigned* bad, local number* group_errors,
                          local unsigned* group_bad) {
  const int self = get_local_id(0);
  number largest = 0;
  unsigned cell = NO_CELL;
  for (int n = self; n < count; n += get_local_size(0)) {
    largest = worse(largest, errors[n]);
    cell = min(cell, bad[n]);
  }
  group_errors[self] = largest;
  group_bad[self] = cell;
  reduce_group(group_errors, group_bad);
  if (self != 0) return;
  errors[count] = group_errors[0];
  bad[count] = group_bad[0];
}
