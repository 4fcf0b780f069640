// SPDX-License-Identifier: MIT
// Tridiagonal systems, one work-group each, of any size. Rows are [system][lower, diagonal, upper][node].
// Each work-item eliminates its own run of rows down to an equation in the last unknowns z of three neighbouring runs.
// The first work-item solves these equations. The other unknowns follow: x_i = Y_i - G_i z - F_i z', with z' of the
// preceding run.
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

// Factors by row: w, l w (zero in a run's first row), u w, F, G. Then, by run: out, before, pivot's inverse, after.
enum row_factor { inverse, inward, outward, left, right, row_factors };
enum run_factor { out, before, own, after, run_factors };

#define ROW(which, k) f[(which)*rows + (k)]
#define RUN(which, r) f[row_factors * rows + (which)*runs + (r)]

kernel void factorise(const int nodes, const int run, global const double* restrict all_rows,
                      global double* restrict factors) {
  const int system = get_group_id(0), r = get_local_id(0), runs = get_local_size(0), rows = runs * run;
  global const double* const lower = all_rows + system * 3 * nodes;
  global const double* const diagonal = lower + nodes;
  global const double* const upper = diagonal + nodes;
  global double* const f = factors + system * (row_factors * rows + run_factors * runs);
  const int first = r * run;
  double last_outward = 0, fill = 0;
  for (int k = first; k < first + run; ++k) {
    // Rows beyond the last node are those of the identity.
    const double l = k < nodes ? lower[k] : 0, d = k < nodes ? diagonal[k] : 1, u = k < nodes ? upper[k] : 0;
    const double w = 1 / (k > first ? d - l * last_outward : d);
    fill = k > first ? -l * fill * w : l * w;
    last_outward = u * w;
    ROW(inverse, k) = w;
    ROW(inward, k) = k > first ? l * w : 0;
    ROW(outward, k) = last_outward;
    ROW(left, k) = fill;
  }
  double from_before = 0, from_last = -1;
  for (int k = first + run - 1; k >= first; --k) {
    if (k < first + run - 1) {
      from_last *= -ROW(outward, k);
      from_before = ROW(left, k) - ROW(outward, k) * from_before;
    }
    ROW(left, k) = from_before;
    ROW(right, k) = from_last;
  }
  RUN(out, r) = last_outward;
  RUN(before, r) = fill;
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (r != 0) return;
  // fill z' + (1 - out F) z - out G z'' = y - out Y, with F, G and Y of the next run's first row.
  for (int q = 0; q < runs; ++q) {
    const double next_left = q + 1 < runs ? ROW(left, (q + 1) * run) : 0;
    const double next_right = q + 1 < runs ? ROW(right, (q + 1) * run) : 0;
    const double eliminated = q > 0 ? RUN(before, q) * RUN(after, q - 1) : 0;
    RUN(own, q) = 1 / (1 - RUN(out, q) * next_left - eliminated);
    RUN(after, q) = -RUN(out, q) * next_right * RUN(own, q);
  }
}

// Solves system `first_system` + group for the field of the same number. P, system 1, also has the coupling to C.
// Local memory holds a value per run.
kernel void solve(const int nodes, const int run, const int first_system, const int stride_of_group,
                  global const double* restrict coupling, global const double* restrict factors,
                  global const double* restrict b, global double* x, local double* y_of, local double* top_of) {
  const int system = first_system + get_group_id(0) * stride_of_group;
  const int r = get_local_id(0), runs = get_local_size(0), rows = runs * run;
  global const double* const f = factors + system * (row_factors * rows + run_factors * runs);
  const int begin = r * run, end = min(begin + run, nodes), offset = system * nodes;
  double y = 0;
  for (int k = begin; k < end; ++k) {
    double value = b[offset + k];
    if (system == 1) value -= coupling[k] * x[k];
    y = ROW(inverse, k) * value - ROW(inward, k) * y;
    x[offset + k] = y;
  }
  // A run that ends beyond the last node has zeros there.
  const int is_whole = begin + run <= nodes;
  double top = 0;
  for (int k = is_whole ? end - 2 : end - 1; k >= begin; --k) {
    top = x[offset + k] - ROW(outward, k) * top;
    x[offset + k] = top;
  }
  y_of[r] = is_whole ? y : 0;
  top_of[r] = top;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (r == 0) {
    double z = 0;
    for (int q = 0; q < runs; ++q) {
      const double next_top = q + 1 < runs ? top_of[q + 1] : 0;
      z = RUN(own, q) * (y_of[q] - RUN(out, q) * next_top - RUN(before, q) * z);
      y_of[q] = z;
    }
    for (int q = runs - 2; q >= 0; --q) y_of[q] -= RUN(after, q) * y_of[q + 1];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const double z = y_of[r], z_before = r > 0 ? y_of[r - 1] : 0;
  for (int k = begin; k < end; ++k) {
    if (k == begin + run - 1) {
      x[offset + k] = z;
    } else {
      x[offset + k] -= ROW(right, k) * z + ROW(left, k) * z_before;
    }
  }
}

kernel void copy_last_field(const int nodes, global const double* restrict b, global double* restrict x) {
  const int k = get_global_id(0);
  if (k < nodes) x[3 * nodes + k] = b[3 * nodes + k];
}
