// SPDX-License-Identifier: MIT
// Some steps of Euler of a patch of cells in one launch; follows cells.cl.
// Build options: those of cells.cl with KEEPS_GATES, -D GROUP=size of a work-group, -D CAPACITY=places of a patch, -D
// COMPUTED=most members of a patch that are ever computed, -D RINGS=rings of its margin.
//
// A group keeps the voltages of its members in local memory, and an item everything else of every GROUP-th vector of
// LANES members. One ring of the margin becomes stale in each step, and is not computed again. The patch's own cells are
// right at the end, and only they are written.
#define VECTORS ((COMPUTED + LANES - 1) / LANES)
#define OF_ITEM ((VECTORS + GROUP - 1) / GROUP)

typedef JOINED(uint, 8) eight_words;
typedef JOINED(int, 8) eight_rows;

// The values of a variable of members from `cell` on; those of a patch's own cells are neighbours in memory.
inline real gathered(global const number* from, global const int* cell, int is_in_line) {
  if (is_in_line) return LOADED(from, cell[0]);
  number each[LANES];
  for (int lane = 0; lane < LANES; ++lane) each[lane] = from[cell[lane]];
  return LOADED(each, 0);
}

// The rate of V due to stimuli and diffusion, (7), as supplied() of cells.cl; `at` is the place of the first member in all
// lists of `length` members.
inline real supplied_in_patch(int at, int length, unsigned active, const number* strength, real here,
                              local const number* v, global const number* weight, global const int* neighbours,
                              global const uchar* stimulated) {
  number sum[LANES];
  for (int lane = 0; lane < LANES; ++lane) {
    sum[lane] = 0;
    if (active != 0)
      for (int n = 0; n < 8; ++n)
        if ((active & stimulated[at + lane]) >> n & 1) sum[lane] += strength[n];
  }
  real all = LOADED(sum, 0);
  for (int slot = 0; slot < SLOTS; ++slot) {
    number other[LANES];
    for (int lane = 0; lane < LANES; ++lane) other[lane] = v[neighbours[slot * length + at + lane]];
    all += LOADED(weight, slot * length + at) * (LOADED(other, 0) - here);
  }
  return all;
}

// `steps` steps of the lengths h, at most RINGS, from the attempt `attempt` on since the host last looked. Word n of `bad`
// holds what launches before the n-th have found: an attempt and its first bad cell. A launch reads one word and writes
// only the next one, so that groups do not wait for each other. Row rows[n] of the samples gets the voltages after step
// n, if it is not negative. `recorded` has pairs of a member and a column.
kernel void make_steps(const int stride, const number acetylcholine, const number counts,
                       const eight_numbers strengths, global const int* cells, global const int* within,
                       global const int* neighbours, global const number* weight, global const uchar* stimulated,
                       const int steps, const eight_numbers h, const eight_words active, global const number* from,
                       global number* onto, const unsigned attempt, const int launch, global unsigned* bad,
                       const eight_rows rows, const int columns, global const int* recorded_first,
                       global const int* recorded, global number* samples) {
  local number voltages[2][CAPACITY];
  const int self = get_local_id(0);
  const int group = get_group_id(0);
  const int length = get_num_groups(0) * CAPACITY;
  const int base = group * CAPACITY;
  if (bad[launch] != NO_CELL) {
    if (group == 0 && self == 0) atomic_min(&bad[launch + 1], bad[launch]);
    return;
  }
  within += group * (RINGS + 1);
  const int own = within[0];
  number strength[8], length_of[8];
  uint stimuli[8];
  int row_of[8];
  vstore8(strengths, 0, strength);
  vstore8(h, 0, length_of);
  vstore8(active, 0, stimuli);
  vstore8(rows, 0, row_of);

  for (int n = self; n < within[steps]; n += GROUP) voltages[0][n] = from[cells[base + n]];
  real y[OF_ITEM][VARIABLES];
  for (int n = 0; n < OF_ITEM; ++n) {
    const int first = (self + n * GROUP) * LANES;
    if (first >= within[steps - 1]) continue;
    for (int variable = 1; variable < VARIABLES; ++variable)
      y[n][variable] = gathered(from + variable * stride, cells + base + first, first + LANES <= own);
  }
  barrier(CLK_LOCAL_MEM_FENCE);

  for (int s = 0; s < steps; ++s) {
    local const number* here = voltages[s % 2];
    local number* next = voltages[(s + 1) % 2];
    const number dt = length_of[s];
    for (int n = 0; n < OF_ITEM; ++n) {
      const int first = (self + n * GROUP) * LANES;
      if (first >= within[steps - 1 - s]) continue;
      y[n][AT_V] = LOADED(here, first);
      struct change r;
#ifndef PLAIN
      r.over = dt;
#endif
      rates_of_cells(acetylcholine, counts, y[n], &r);
      r.v += supplied_in_patch(base + first, length, stimuli[s], strength, y[n][AT_V], here, weight, neighbours,
                               stimulated);
      real nothing = 0;
      const real v = y[n][AT_V] + dt * r.v;
      nothing += v * 0 + refused(v);
      STORE(v, next, first);
      for (int gate = 0; gate < GATES; ++gate) {
#ifdef PLAIN
        y[n][1 + gate] += dt * r.gate_slope[gate];
#else
        y[n][1 + gate] = r.gate[gate];
#endif
        nothing += y[n][1 + gate] * 0;
      }
      for (int c = 0; c < 5; ++c) {
        y[n][AT_NAI + c] += dt * r.concentration[c];
        nothing += y[n][AT_NAI + c] * 0;
      }
      const unsigned place = first_bad(nothing, first, own);
      if (place != NO_CELL) atomic_min(&bad[launch + 1], (attempt + s) << CELL_BITS | (unsigned)cells[base + place]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (row_of[s] < 0) continue;
    for (int n = recorded_first[group] + self; n < recorded_first[group + 1]; n += GROUP)
      samples[row_of[s] * columns + recorded[2 * n + 1]] = next[recorded[2 * n]];
  }

  for (int n = 0; n < OF_ITEM; ++n) {
    const int first = (self + n * GROUP) * LANES;
    if (first >= own) continue;
    y[n][AT_V] = LOADED(voltages[steps % 2], first);
    for (int variable = 0; variable < VARIABLES; ++variable) {
      global number* to = onto + variable * stride + cells[base];
      if (first + LANES <= own) {
        STORE(y[n][variable], to, first);
        continue;
      }
      number each[LANES];
      STORE(y[n][variable], each, 0);
      for (int lane = 0; first + lane < own; ++lane) to[first + lane] = each[lane];
    }
  }
}
