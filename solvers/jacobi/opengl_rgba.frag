// SPDX-License-Identifier: MIT
// One sweep of weighted Jacobi with four consecutive nodes per pixel (section 5.2, Figs 8 and 9).
// x' = (1-w) x + w (f - sum over k != 4 of d_k x_k) / d_4, with k = (dy+1)*3 + (dx+1)
// The neighbours of four nodes at dx = -1 are the left texel's last node and the first three of their own
// texel. At dx = +1 they are the last three of their own texel and the right texel's first node.
#version 330 core

uniform sampler2DRect d[9];
uniform sampler2DRect f;
uniform sampler2DRect x;
uniform float w;
out vec4 next;

void main() {
  vec2 here = gl_FragCoord.xy;
  vec4 sum = texture(f, here);

  vec4 left = texture(x, here + vec2(-1, -1));
  vec4 own = texture(x, here + vec2(0, -1));
  vec4 right = texture(x, here + vec2(1, -1));
  sum -= texture(d[0], here) * vec4(left.w, own.xyz);
  sum -= texture(d[1], here) * own;
  sum -= texture(d[2], here) * vec4(own.yzw, right.x);

  left = texture(x, here + vec2(-1, 0));
  vec4 centre = texture(x, here);
  right = texture(x, here + vec2(1, 0));
  sum -= texture(d[3], here) * vec4(left.w, centre.xyz);
  sum -= texture(d[5], here) * vec4(centre.yzw, right.x);

  left = texture(x, here + vec2(-1, 1));
  own = texture(x, here + vec2(0, 1));
  right = texture(x, here + vec2(1, 1));
  sum -= texture(d[6], here) * vec4(left.w, own.xyz);
  sum -= texture(d[7], here) * own;
  sum -= texture(d[8], here) * vec4(own.yzw, right.x);

  next = (1.0 - w) * centre + w * (sum / texture(d[4], here));
}
