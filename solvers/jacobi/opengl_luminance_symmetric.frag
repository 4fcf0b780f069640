// SPDX-License-Identifier: MIT
// One sweep of weighted Jacobi with one node per pixel, from half of a symmetric matrix (section 8).
// x' = (1-w) x + w (f - sum over k != 4 of d_k x_k) / d_4, with k = (dy+1)*3 + (dx+1)
// A node's diagonal k < 4 is diagonal 8 - k of the neighbour at that side. Reads beyond the border return the
// border's texel, which is another coefficient here, so each such neighbour needs a conditional.
#version 330 core

uniform sampler2DRect d[9];
uniform sampler2DRect f;
uniform sampler2DRect x;
uniform float w;
out float next;

void main() {
  vec2 here = gl_FragCoord.xy;
  bool has_west = here.x > 1.0;
  bool has_east = here.x < float(textureSize(x).x - 1);
  bool has_south = here.y > 1.0;
  float sum = texture(f, here).r;
  if (has_south && has_west) sum -= texture(d[8], here + vec2(-1, -1)).r * texture(x, here + vec2(-1, -1)).r;
  if (has_south) sum -= texture(d[7], here + vec2(0, -1)).r * texture(x, here + vec2(0, -1)).r;
  if (has_south && has_east) sum -= texture(d[6], here + vec2(1, -1)).r * texture(x, here + vec2(1, -1)).r;
  if (has_west) sum -= texture(d[5], here + vec2(-1, 0)).r * texture(x, here + vec2(-1, 0)).r;
  sum -= texture(d[5], here).r * texture(x, here + vec2(1, 0)).r;
  sum -= texture(d[6], here).r * texture(x, here + vec2(-1, 1)).r;
  sum -= texture(d[7], here).r * texture(x, here + vec2(0, 1)).r;
  sum -= texture(d[8], here).r * texture(x, here + vec2(1, 1)).r;
  next = (1.0 - w) * texture(x, here).r + w * (sum / texture(d[4], here).r);
}
