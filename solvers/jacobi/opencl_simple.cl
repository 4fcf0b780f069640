// SPDX-License-Identifier: MIT
// One sweep of weighted Jacobi on nine separate diagonals, with one work-item per node.
// x' = (1-w) x + w (f - sum over k != 4 of d_k x_k) / d_4
// x and next have nx+1 zeros before and after their nodes.
kernel void sweep(global const float* restrict d0, global const float* restrict d1,
                  global const float* restrict d2, global const float* restrict d3,
                  global const float* restrict d4, global const float* restrict d5,
                  global const float* restrict d6, global const float* restrict d7,
                  global const float* restrict d8, global const float* restrict f,
                  global const float* restrict x, global float* restrict next, const float w, const int nx,
                  const int nodes) {
  const int i = get_global_id(0);
  if (i >= nodes) return;
  const int south = i + 1;
  const int here = south + nx;
  const int north = here + nx;
  float sum = f[i];
  sum -= d0[i] * x[south - 1];
  sum -= d1[i] * x[south];
  sum -= d2[i] * x[south + 1];
  sum -= d3[i] * x[here - 1];
  sum -= d5[i] * x[here + 1];
  sum -= d6[i] * x[north - 1];
  sum -= d7[i] * x[north];
  sum -= d8[i] * x[north + 1];
  next[here] = (1.0f - w) * x[here] + w * (sum / d4[i]);
}
