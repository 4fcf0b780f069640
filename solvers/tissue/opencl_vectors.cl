// SPDX-License-Identifier: MIT
// A whole stage of a row's neighbouring cells, LANES of them in each work-item; follows models.cl. A row has VECTORS
// of them: dividing by a number that the compiler knows is cheap.
// A stage reads the old argument of its neighbours, so it writes the new one elsewhere.

// The cells first + shift ... of a row. Where they lie beyond its ends, the cells that stand for them.
inline real row_cells(global const REAL* row, const int first, const int shift, const int nx) {
  if (first + shift >= 0 && first + shift + LANES <= nx) return LOADED(row, first + shift);
  REAL each[LANES];
  for (int lane = 0; lane < LANES; ++lane) each[lane] = row[folded(first + shift + lane, nx)];
  return LOADED(each, 0);
}

// As weighted_sum() of models.cl.
inline real weighted_sums(global const REAL* field, const int first, const int j, const int nx, const int ny) {
  global const REAL* middle = field + j * nx;
  global const REAL* south = field + (j > 0 ? j - 1 : folded(-1, ny)) * nx;
  global const REAL* north = field + (j < ny - 1 ? j + 1 : folded(ny, ny)) * nx;
  const real here = row_cells(middle, first, 0, nx);
  const real axial = (row_cells(middle, first, -1, nx) + row_cells(middle, first, 1, nx)) +
                     (row_cells(south, first, 0, nx) + row_cells(north, first, 0, nx));
  const real diagonal = (row_cells(south, first, -1, nx) + row_cells(south, first, 1, nx)) +
                        (row_cells(north, first, -1, nx) + row_cells(north, first, 1, nx));
  return 4 * (axial - 4 * here) + (diagonal - 4 * here);
}

// Stores the lanes that are cells of the row.
inline void store_cells(const real value, global REAL* row, const int first, const int nx) {
  if (first + LANES <= nx) {
    STORE(value, row, first);
    return;
  }
  REAL each[LANES];
  STORE(value, each, 0);
  for (int lane = 0; first + lane < nx; ++lane) row[first + lane] = each[lane];
}

// Uses the stage's terms k of the right-hand side of z. The last stage makes the next state, state + h sum(weight k).
// Earlier stages add to the sum and make the next argument, state + h k.
kernel void stage_of_rows(const int nx, const int ny, const REAL steepness, const REAL coefficient_u,
                          const REAL coefficient_v, const int is_first, const int is_last, const REAL weight,
                          const REAL h, global const REAL* z, global const REAL* state, global REAL* onto,
                          global REAL* sum) {
  const int item = get_global_id(0);
  if (item >= VECTORS * ny) return;
  const int j = item / VECTORS;
  const int first = item % VECTORS * LANES;
  const int row = j * nx;
  const int cells = nx * ny;
  real here[FIELDS];
  real term[FIELDS];
  for (int f = 0; f < FIELDS; ++f) here[f] = row_cells(z + f * cells + row, first, 0, nx);
  local_terms_of(steepness, h, here, term);
  for (int f = 0; f < DIFFUSING; ++f)
    term[f] += (f == 0 ? coefficient_u : coefficient_v) * weighted_sums(z + f * cells, first, j, nx, ny);
  for (int f = 0; f < FIELDS; ++f) {
    const int at = f * cells + row;
#if GATES != 0
    if (f > 0) {
      store_cells(term[f], onto + at, first, nx);
      continue;
    }
#endif
    const real before = is_first ? here[f] : row_cells(state + at, first, 0, nx);
    const real total = weight * term[f] + (is_first ? (real)(0) : row_cells(sum + at, first, 0, nx));
    store_cells(before + h * (is_last ? total : term[f]), onto + at, first, nx);
    if (!is_last) store_cells(total, sum + at, first, nx);
  }
}
