// SPDX-License-Identifier: MIT
// One sweep of weighted Jacobi on nine separate diagonals, with one invocation per node.
// x' = (1-w) x + w (f - sum over k != 4 of d_k x_k) / d_4
// x and next have nx+1 zeros before and after their nodes. The group's width, `items`, is defined by the host.
layout(local_size_x = items) in;

layout(std430, binding = 0) readonly buffer diagonal0 { float d0[]; };
layout(std430, binding = 1) readonly buffer diagonal1 { float d1[]; };
layout(std430, binding = 2) readonly buffer diagonal2 { float d2[]; };
layout(std430, binding = 3) readonly buffer diagonal3 { float d3[]; };
layout(std430, binding = 4) readonly buffer diagonal4 { float d4[]; };
layout(std430, binding = 5) readonly buffer diagonal5 { float d5[]; };
layout(std430, binding = 6) readonly buffer diagonal6 { float d6[]; };
layout(std430, binding = 7) readonly buffer diagonal7 { float d7[]; };
layout(std430, binding = 8) readonly buffer diagonal8 { float d8[]; };
layout(std430, binding = 9) readonly buffer right_side { float f[]; };
layout(std430, binding = 10) readonly buffer iterate { float x[]; };
layout(std430, binding = 11) writeonly buffer next_iterate { float next[]; };
uniform float w;
uniform int nx;

void main() {
  int ix = int(gl_GlobalInvocationID.x);
  if (ix >= nx) return;
  int i = ix + nx * int(gl_GlobalInvocationID.y);
  int south = i + 1;
  int here = south + nx;
  int north = here + nx;
  float sum = f[i];
  sum -= d0[i] * x[south - 1];
  sum -= d1[i] * x[south];
  sum -= d2[i] * x[south + 1];
  sum -= d3[i] * x[here - 1];
  sum -= d5[i] * x[here + 1];
  sum -= d6[i] * x[north - 1];
  sum -= d7[i] * x[north];
  sum -= d8[i] * x[north + 1];
  next[here] = (1.0 - w) * x[here] + w * (sum / d4[i]);
}
