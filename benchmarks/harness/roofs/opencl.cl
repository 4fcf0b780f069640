// SPDX-License-Identifier: MIT
// The kernels that measure an OpenCL device's roofs. The program defines REAL as float or double, and VECTOR
// as a vector of the device's native width.

#ifdef REAL_IS_DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

// Word i of the pattern is the low half of i, which a float holds exactly.
kernel void write_pattern(global float4* to, const ulong count) {
  const size_t i = get_global_id(0);
  if (i < count) to[i] = convert_float4(((uint4)(4 * (uint)i) + (uint4)(0, 1, 2, 3)) & 0xFFFFu);
}

kernel void copy(global const float4* restrict from, global float4* restrict to, const ulong count) {
  const size_t i = get_global_id(0);
  if (i < count) to[i] = from[i];
}

// Each work item loads sixteen values and stores one.
kernel void read(global const float4* restrict from, global float* restrict sums, const ulong items,
                 const ulong step, const ulong hop) {
  const size_t i = get_global_id(0);
  if (i >= items) return;
  global const float4* const mine = from + i * step;
  float4 sum = 0;
#pragma unroll
  for (int part = 0; part < 16; ++part) sum += mine[part * hop];
  sums[i] = (sum.x + sum.y) + (sum.z + sum.w);
}

// Eight chains x <- x factor + term. The compiler may fuse them but cannot shorten them, because it
// knows neither factor nor term.
kernel void multiply_add(global VECTOR* results, const REAL factor, const REAL term, const int rounds) {
  const size_t i = get_global_id(0);
  const VECTOR a = factor;
  const VECTOR b = term;
  VECTOR x0 = (REAL)i, x1 = x0 + 1, x2 = x0 + 2, x3 = x0 + 3;
  VECTOR x4 = x0 + 4, x5 = x0 + 5, x6 = x0 + 6, x7 = x0 + 7;
  for (int r = 0; r < rounds; ++r) {
#pragma unroll
    for (int step = 0; step < 16; ++step) {
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
  results[i] = ((x0 + x1) + (x2 + x3)) + ((x4 + x5) + (x6 + x7));
}
