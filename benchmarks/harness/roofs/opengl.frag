// SPDX-License-Identifier: MIT
// The fragment shaders that measure an OpenGL device's roofs. The program prepends the version and defines
// COPY, READ, or VECTOR (vec4 or dvec4).

#ifdef COPY

uniform sampler2DRect from;
out vec4 to;

void main() {
  to = texture(from, gl_FragCoord.xy);
}

#elif defined(READ)

// Each pixel reads sixteen texels of a column.
uniform sampler2DRect from;
out float to;

void main() {
  vec2 first = vec2(gl_FragCoord.x, 16.0 * floor(gl_FragCoord.y) + 0.5);
  vec4 sum = vec4(0);
  for (int row = 0; row < 16; ++row) sum += texture(from, first + vec2(0, row));
  to = (sum.x + sum.y) + (sum.z + sum.w);
}

#else

uniform float factor;
uniform float term;
uniform int rounds;
out vec4 result;

// Eight chains x <- x factor + term. The compiler may fuse them but cannot shorten them, because it
// knows neither factor nor term.
void main() {
  VECTOR a = VECTOR(factor);
  VECTOR b = VECTOR(term);
  VECTOR x0 = VECTOR(gl_FragCoord.xyxy);
  VECTOR x1 = x0 + a, x2 = x1 + a, x3 = x2 + a, x4 = x3 + a, x5 = x4 + a, x6 = x5 + a, x7 = x6 + a;
  for (int r = 0; r < rounds; ++r) {
    for (int step = 0; step < 4; ++step) {
      x0 = x0 * a + b;
      x1 = x1 * a + b;
      x2 = x2 * a + b;
      x3 = x3 * a + b;
      x4 = x4 * a + b;
      x5 = x5 * a + b;
      x6 = x6 * a + b;
      x7 = x7 * a + b;
    }
  }
  result = vec4(((x0 + x1) + (x2 + x3)) + ((x4 + x5) + (x6 + x7)));
}

#endif
