// SPDX-License-Identifier: MIT
// One kernel for the non-local terms of all diffusing fields; follows models.cl.

kernel void non_local_of_all(const int nx, const int ny, const REAL coefficient_u,
                             const REAL coefficient_v, global const REAL* restrict z,
                             global REAL* restrict k) {
  const int cell = get_global_id(0);
  const int cells = nx * ny;
  if (cell >= cells) return;
  k[cell] = coefficient_u * weighted_sum(z, cell, nx, ny);
#if DIFFUSING == 2
  k[cells + cell] = coefficient_v * weighted_sum(z + cells, cell, nx, ny);
#endif
}
