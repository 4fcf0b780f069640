// SPDX-License-Identifier: MIT
// LU factorisation with partial pivoting by panels. The matrix is stored by columns, `order` rows each; behind its last
// column stands the right-hand side. Columns to the left of a panel are not swapped: every user of L applies panels and
// swaps in the same order.
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define ENTRY(i, j) a[(size_t)(j)*order + (i)]

// Factorises the panel of columns first ... first + width - 1, by one work-group of any size. `best` and `best_row`
// have a place for each work-item.
kernel void factorise_panel(const int order, const int first, const int width, global double* a, global int* pivots,
                            global double* diagonal, local double* best, local int* best_row) {
  const int self = get_local_id(0), items = get_local_size(0);
  for (int k = first; k < first + width; ++k) {
    double most = -1;
    int at = k;
    for (int i = k + self; i < order; i += items) {
      const double size = fabs(ENTRY(i, k));
      // A NaN is taken, and is then refused as a pivot.
      if (size > most || isnan(size)) {
        most = size;
        at = i;
      }
    }
    best[self] = most;
    best_row[self] = at;
    barrier(CLK_LOCAL_MEM_FENCE);
    // Takes the first of the rows with the largest magnitude.
    if (self == 0) {
      for (int q = 1; q < items; ++q)
        if (best[q] > best[0] || isnan(best[q]) || (best[q] == best[0] && best_row[q] < best_row[0])) {
          best[0] = best[q];
          best_row[0] = best_row[q];
        }
      pivots[k] = best_row[0];
    }
    barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
    const int p = best_row[0];
    for (int j = first + self; j < first + width; j += items) {
      const double upper = ENTRY(k, j);
      ENTRY(k, j) = ENTRY(p, j);
      ENTRY(p, j) = upper;
    }
    barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
    const double pivot = ENTRY(k, k);
    if (self == 0) diagonal[k] = pivot;
    for (int i = k + 1 + self; i < order; i += items) {
      const double factor = ENTRY(i, k) / pivot;
      ENTRY(i, k) = factor;
      for (int j = k + 1; j < first + width; ++j) ENTRY(i, j) -= factor * ENTRY(k, j);
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
  }
}

// Swaps the panel's rows in the columns from `begin` on, and solves for its rows of U; one work-item per column.
kernel void solve_rows(const int order, const int first, const int width, const int begin, const int columns,
                       global double* a, global const int* restrict pivots) {
  const int j = begin + get_global_id(0);
  if (j >= begin + columns) return;
  for (int k = first; k < first + width; ++k) {
    const int p = pivots[k];
    const double upper = ENTRY(k, j);
    ENTRY(k, j) = ENTRY(p, j);
    ENTRY(p, j) = upper;
  }
  for (int k = first; k < first + width; ++k) {
    const double known = ENTRY(k, j);
    for (int i = k + 1; i < first + width; ++i) ENTRY(i, j) -= ENTRY(i, k) * known;
  }
}

// Subtracts the panel's multipliers times its rows of U from the rows below; one work-item per row and four columns.
kernel void subtract(const int order, const int first, const int width, const int begin, const int columns,
                     global double* a) {
  const int rows = order - first - width, item = get_global_id(0);
  const int i = first + width + item % rows, j = begin + 4 * (item / rows), end = begin + columns;
  if (j >= end) return;
  double sum[4];
  for (int c = 0; c < 4; ++c) sum[c] = j + c < end ? ENTRY(i, j + c) : 0;
  for (int q = first; q < first + width; ++q) {
    const double factor = ENTRY(i, q);
    for (int c = 0; c < 4; ++c) sum[c] -= factor * ENTRY(q, min(j + c, end - 1));
  }
  for (int c = 0; c < 4; ++c)
    if (j + c < end) ENTRY(i, j + c) = sum[c];
}

// Solves U x = y in place, y behind the last column of U, by one work-group.
kernel void substitute_back(const int order, global double* a) {
  const int self = get_local_id(0), items = get_local_size(0);
  for (int k = order - 1; k >= 0; --k) {
    const double x = ENTRY(k, order) / ENTRY(k, k);
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (self == 0) ENTRY(k, order) = x;
    for (int i = self; i < k; i += items) ENTRY(i, order) -= ENTRY(i, k) * x;
    barrier(CLK_GLOBAL_MEM_FENCE);
  }
}
