// SPDX-License-Identifier: MIT
// One kernel for the local terms of all fields and the update; follows models.cl.
// z is the state in the first stage of a step and the argument in the others, so z, state and argument may
// alias and cannot be `restrict`. Each work-item accesses only the values of its own cell.

kernel void local_terms_and_update(const int cells, const REAL steepness, const int is_first,
                                   const int is_last, const REAL weight, const REAL h,
                                   global const REAL* z, global const REAL* restrict k,
                                   global REAL* state, global REAL* argument,
                                   global REAL* restrict sum) {
  const int cell = get_global_id(0);
  if (cell >= cells) return;
  REAL here[FIELDS];
  REAL term[FIELDS];
  for (int f = 0; f < FIELDS; ++f) here[f] = z[f * cells + cell];
  local_terms_of(steepness, h, here, term);
  for (int f = 0; f < DIFFUSING; ++f) term[f] += k[f * cells + cell];
  for (int f = 0; f < FIELDS; ++f)
    advance(f * cells + cell, f, is_first, is_last, weight, h, term[f], state, argument, sum);
}
