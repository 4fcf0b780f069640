// SPDX-License-Identifier: MIT
// One sweep of weighted Jacobi on nine separate diagonals, with one work-item per node, and x through local memory.
// x' = (1-w) x + w (f - sum over k != 4 of d_k x_k) / d_4
// x and next have nx+1 zeros before and after their nodes.
kernel void sweep(global const float* restrict d0, global const float* restrict d1,
                  global const float* restrict d2, global const float* restrict d3,
                  global const float* restrict d4, global const float* restrict d5,
                  global const float* restrict d6, global const float* restrict d7,
                  global const float* restrict d8, global const float* restrict f,
                  global const float* restrict x, global float* restrict next, const float w, const int nx,
                  const int nodes, local float* segments) {
  const int self = get_local_id(0), items = get_local_size(0), first = get_group_id(0) * items, i = first + self;
  // Segment s begins one value before the group's first node, moved by s - 1 rows.
  const int length = items + 2, end = nodes + 2 * (nx + 1);
  for (int s = 0; s < 3; ++s)
    for (int k = self; k < length; k += items) segments[s * length + k] = x[min(first + s * nx + k, end - 1)];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i >= nodes) return;
  local const float* const south = segments + self + 1;
  local const float* const here = south + length;
  local const float* const north = here + length;
  float sum = f[i];
  sum -= d0[i] * south[-1];
  sum -= d1[i] * south[0];
  sum -= d2[i] * south[1];
  sum -= d3[i] * here[-1];
  sum -= d5[i] * here[1];
  sum -= d6[i] * north[-1];
  sum -= d7[i] * north[0];
  sum -= d8[i] * north[1];
  next[i + nx + 1] = (1.0f - w) * here[0] + w * (sum / d4[i]);
}
