// SPDX-License-Identifier: MIT
// One sweep of weighted Jacobi with one node per pixel (section 5.1, Fig 7).
// x' = (1-w) x + w (f - sum over k != 4 of d_k x_k) / d_4, with k = (dy+1)*3 + (dx+1)
#version 330 core

uniform sampler2DRect d[9];
uniform sampler2DRect f;
uniform sampler2DRect x;
uniform float w;
out float next;

void main() {
  vec2 here = gl_FragCoord.xy;
  float sum = texture(f, here).r;
  sum -= texture(d[0], here).r * texture(x, here + vec2(-1, -1)).r;
  sum -= texture(d[1], here).r * texture(x, here + vec2(0, -1)).r;
  sum -= texture(d[2], here).r * texture(x, here + vec2(1, -1)).r;
  sum -= texture(d[3], here).r * texture(x, here + vec2(-1, 0)).r;
  sum -= texture(d[5], here).r * texture(x, here + vec2(1, 0)).r;
  sum -= texture(d[6], here).r * texture(x, here + vec2(-1, 1)).r;
  sum -= texture(d[7], here).r * texture(x, here + vec2(0, 1)).r;
  sum -= texture(d[8], here).r * texture(x, here + vec2(1, 1)).r;
  next = (1.0 - w) * texture(x, here).r + w * (sum / texture(d[4], here).r);
}
