// SPDX-License-Identifier: MIT
// The paper's kernels: the non-local term of one field, the local terms of all fields,
// the update; follows models.cl.

kernel void non_local(const int nx, const int ny, const int field, const REAL coefficient,
                      global const REAL* restrict z, global REAL* restrict k) {
  const int cell = get_global_id(0);
  if (cell >= nx * ny) return;
  const int first = field * nx * ny;
  k[first + cell] = coefficient * weighted_sum(z + first, cell, nx, ny);
}

// Adds the local terms to k of the fields that diffuse, and sets k of the others.
kernel void local_terms(const int cells, const REAL steepness, const REAL dt,
                        global const REAL* restrict z, global REAL* restrict k) {
  const int cell = get_global_id(0);
  if (cell >= cells) return;
  REAL here[FIELDS];
  REAL term[FIELDS];
  for (int f = 0; f < FIELDS; ++f) here[f] = z[f * cells + cell];
  local_terms_of(steepness, dt, here, term);
  for (int f = 0; f < DIFFUSING; ++f) k[f * cells + cell] += term[f];
  for (int f = DIFFUSING; f < FIELDS; ++f) k[f * cells + cell] = term[f];
}

kernel void update(const int cells, const int is_first, const int is_last, const REAL weight,
                   const REAL h, global const REAL* restrict k, global REAL* restrict state,
                   global REAL* restrict argument, global REAL* restrict sum) {
  const int n = get_global_id(0);
  if (n >= FIELDS * cells) return;
  advance(n, n / cells, is_first, is_last, weight, h, k[n], state, argument, sum);
}
