// SPDX-License-Identifier: MIT
// Merson's method for the curvature flows of a graph, with one work-item per node.
// Build options:
//   -D REAL=float or double, -D GROUP=size of a work-group, a power of two
//   -D WILLMORE for that flow, -D MANUFACTURED or -D NEUMANN for those boundary conditions
// k1 ... k5 hold f without tau. Node (i, j) has the index n = j nodes_x + i.
// Under Neumann conditions k and w at the border copy the inner neighbour, so that u does too. Otherwise they
// keep their initial zeros there.
// Tables x and y: the d-th derivative of the profile X at line i of n lines is element d n + i.
// Constants are integers, or binary fractions in single precision, so they are exact in both precisions.
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

// The inner node whose right-hand side node n gets, or -1 if it gets none.
int centre_of(const int n, const int nodes_x, const int nodes_y) {
  if (n >= nodes_x * nodes_y) return -1;
  const int i = n % nodes_x;
  const int j = n / nodes_x;
  const int inner_i = clamp(i, 1, nodes_x - 2);
  const int inner_j = clamp(j, 1, nodes_y - 2);
#ifndef NEUMANN
  if (i != inner_i || j != inner_j) return -1;
#endif
  return inner_j * nodes_x + inner_i;
}

// The right-hand side, (36)-(53). A field is passed as a pointer to the node in the
// middle; its rows are `row` apart.

// A gradient at the midpoint of an edge between two nodes.
typedef struct {
  REAL x, y;
} slope;

// The edge to the eastern neighbour: (40), (42) with (44)-(47).
slope slope_east(global const REAL* f, const int row, const REAL ihx, const REAL ihy) {
  const slope g = {(f[1] - f[0]) * ihx, (f[row] + f[row + 1] - f[-row] - f[1 - row]) * (0.25f * ihy)};
  return g;
}

// The edge to the northern neighbour: (41), (43).
slope slope_north(global const REAL* f, const int row, const REAL ihx, const REAL ihy) {
  const slope g = {(f[1] + f[row + 1] - f[-1] - f[row - 1]) * (0.25f * ihx), (f[row] - f[0]) * ihy};
  return g;
}

// Q, (36)-(39).
REAL stretch(const slope g) {
  return sqrt(1 + g.x * g.x + g.y * g.y);
}

// w = Q H, (48)-(50), which is also the right-hand side (17) of the mean-curvature flow without forcing.
kernel void curvature(const int nodes_x, const int nodes_y, const REAL ihx, const REAL ihy,
                      global const REAL* restrict field, global REAL* restrict w) {
  const int n = get_global_id(0);
  const int centre = centre_of(n, nodes_x, nodes_y);
  if (centre < 0) return;
  global const REAL* u = field + centre;
  const slope east = slope_east(u, nodes_x, ihx, ihy);
  const slope west = slope_east(u - 1, nodes_x, ihx, ihy);
  const slope north = slope_north(u, nodes_x, ihx, ihy);
  const slope south = slope_north(u - nodes_x, nodes_x, ihx, ihy);
  const REAL q_east = stretch(east);
  const REAL q_west = stretch(west);
  const REAL q_north = stretch(north);
  const REAL q_south = stretch(south);
  const REAL h = ihx * (east.x / q_east - west.x / q_west) + ihy * (north.y / q_north - south.y / q_south);
  w[n] = 0.25f * (q_east + q_north + q_west + q_south) * h;
}

#ifdef WILLMORE
// Fluxes through an edge along x and along y: the components of E grad w - w^2/(2 Q^3) grad u, (53).
REAL flux_x(const slope u, const slope w, const REAL w_edge, const REAL q) {
  return ((1 + u.y * u.y) * w.x - u.x * u.y * w.y - 0.5f * w_edge * w_edge * u.x) / (q * q * q);
}

REAL flux_y(const slope u, const slope w, const REAL w_edge, const REAL q) {
  return ((1 + u.x * u.x) * w.y - u.x * u.y * w.x - 0.5f * w_edge * w_edge * u.y) / (q * q * q);
}

// The right-hand side (21) without forcing, with the minus sign that is missing in print.
kernel void willmore(const int nodes_x, const int nodes_y, const REAL ihx, const REAL ihy,
                     global const REAL* restrict field, global const REAL* restrict curvatures,
                     global REAL* restrict k) {
  const int n = get_global_id(0);
  const int centre = centre_of(n, nodes_x, nodes_y);
  if (centre < 0) return;
  global const REAL* u = field + centre;
  global const REAL* w = curvatures + centre;
  const slope east = slope_east(u, nodes_x, ihx, ihy);
  const slope west = slope_east(u - 1, nodes_x, ihx, ihy);
  const slope north = slope_north(u, nodes_x, ihx, ihy);
  const slope south = slope_north(u - nodes_x, nodes_x, ihx, ihy);
  const REAL q_east = stretch(east);
  const REAL q_west = stretch(west);
  const REAL q_north = stretch(north);
  const REAL q_south = stretch(south);
  const REAL f_east = flux_x(east, slope_east(w, nodes_x, ihx, ihy), 0.5f * (w[0] + w[1]), q_east);
  const REAL f_west = flux_x(west, slope_east(w - 1, nodes_x, ihx, ihy), 0.5f * (w[0] + w[-1]), q_west);
  const REAL f_north = flux_y(north, slope_north(w, nodes_x, ihx, ihy), 0.5f * (w[0] + w[nodes_x]), q_north);
  const REAL f_south =
      flux_y(south, slope_north(w - nodes_x, nodes_x, ihx, ihy), 0.5f * (w[0] + w[-nodes_x]), q_south);
  k[n] =
      -0.25f * (q_east + q_north + q_west + q_south) * (ihx * (f_east - f_west) + ihy * (f_north - f_south));
}
#endif

#ifdef MANUFACTURED
// k += F, as in manufactured.hpp: z is zeta, q is 1 / Q^2, b is p^T Z p / Q^2, c and rate are c and dc/dt.
kernel void forcing(const REAL c, const REAL rate, const int nodes_x, const int nodes_y,
                    global const REAL* restrict x, global const REAL* restrict y, global REAL* restrict k) {
  const int n = get_global_id(0);
  if (centre_of(n, nodes_x, nodes_y) < 0) return;
  x += n % nodes_x;
  y += n / nodes_x;
  const REAL x0 = x[0], x1 = x[nodes_x], x2 = x[2 * nodes_x];
  const REAL y0 = y[0], y1 = y[nodes_y], y2 = y[2 * nodes_y];
  const REAL zx = c * x1 * y0, zy = c * x0 * y1;
  const REAL zxx = c * x2 * y0, zxy = c * x1 * y1, zyy = c * x0 * y2;
  const REAL q = 1 / (1 + zx * zx + zy * zy);
  const REAL trace = zxx + zyy;
#ifndef WILLMORE
  const REAL b = (zx * zx * zxx + 2 * zx * zy * zxy + zy * zy * zyy) * q;
  k[n] += rate * x0 * y0 - (trace - b);
#else
  const REAL x3 = x[3 * nodes_x], x4 = x[4 * nodes_x];
  const REAL y3 = y[3 * nodes_y], y4 = y[4 * nodes_y];
  const REAL zxxx = c * x3 * y0, zxxy = c * x2 * y1, zxyy = c * x1 * y2, zyyy = c * x0 * y3;
  const REAL zxxxx = c * x4 * y0, zxxxy = c * x3 * y1, zxxyy = c * x2 * y2, zxyyy = c * x1 * y3,
             zyyyy = c * x0 * y4;

  const REAL sx = 2 * (zx * zxx + zy * zxy);
  const REAL sy = 2 * (zx * zxy + zy * zyy);
  const REAL sxx = 2 * (zxx * zxx + zx * zxxx + zxy * zxy + zy * zxxy);
  const REAL sxy = 2 * (zxx * zxy + zx * zxxy + zxy * zyy + zy * zxyy);
  const REAL syy = 2 * (zxy * zxy + zx * zxyy + zyy * zyy + zy * zyyy);
  const REAL sxxx = 2 * (3 * zxx * zxxx + zx * zxxxx + 3 * zxy * zxxy + zy * zxxxy);
  const REAL sxxy = 2 * (2 * zxx * zxxy + zxy * zxxx + zx * zxxxy + 2 * zxy * zxyy + zyy * zxxy + zy * zxxyy);
  const REAL sxyy = 2 * (2 * zyy * zxyy + zxy * zyyy + zy * zxyyy + 2 * zxy * zxxy + zxx * zxyy + zx * zxxyy);
  const REAL syyy = 2 * (3 * zyy * zyyy + zy * zyyyy + 3 * zxy * zxyy + zx * zxyyy);

  const REAL b = 0.5f * (zx * sx + zy * sy) * q;
  const REAL ax = 0.5f * (zxx * sx + zx * sxx + zxy * sy + zy * sxy);
  const REAL ay = 0.5f * (zxy * sx + zx * sxy + zyy * sy + zy * syy);
  const REAL axx = 0.5f * (zxxx * sx + 2 * zxx * sxx + zx * sxxx + zxxy * sy + 2 * zxy * sxy + zy * sxxy);
  const REAL axy =
      0.5f * (zxxy * sx + zxx * sxy + zxy * sxx + zx * sxxy + zxyy * sy + zxy * syy + zyy * sxy + zy * sxyy);
  const REAL ayy = 0.5f * (zxyy * sx + 2 * zxy * sxy + zx * sxyy + zyyy * sy + 2 * zyy * syy + zy * syyy);
  const REAL bx = (ax - b * sx) * q;
  const REAL by = (ay - b * sy) * q;
  const REAL bxx = (axx - 2 * bx * sx - b * sxx) * q;
  const REAL bxy = (axy - bx * sy - by * sx - b * sxy) * q;
  const REAL byy = (ayy - 2 * by * sy - b * syy) * q;

  const REAL w = trace - b;
  const REAL wx = zxxx + zxyy - bx;
  const REAL wy = zxxy + zyyy - by;
  const REAL wxx = zxxxx + zxxyy - bxx;
  const REAL wxy = zxxxy + zxyyy - bxy;
  const REAL wyy = zxxyy + zyyyy - byy;
  const REAL bending = (1 + zy * zy) * wxx - 2 * zx * zy * wxy + (1 + zx * zx) * wyy;
  const REAL turning = wx * (zx * (3 * b - trace) - sx) + wy * (zy * (3 * b - trace) - sy);
  const REAL stretching = w * (wx * zx + wy * zy) + 0.5f * w * w * (w - 2 * b);
  k[n] += rate * x0 * y0 + q * (bending + turning - stretching);
#endif
}
#endif

// Merson's sums. `step` is tau times the factor in front of the sum. Arguments that change from launch to
// launch come first, so that the host need not set the others again.

// The value that node n gets for a sum; at the border of the manufactured problem it is zeta.
REAL bordered(const REAL sum, const int n, const REAL c, const int nodes_x, const int nodes_y,
              global const REAL* x, global const REAL* y) {
#ifdef MANUFACTURED
  const int i = n % nodes_x;
  const int j = n / nodes_x;
  if (i == 0 || j == 0 || i == nodes_x - 1 || j == nodes_y - 1) return c * x[i] * y[j];
#endif
  return sum;
}

kernel void argument_2(const REAL step, const REAL c, const int nodes_x, const int nodes_y,
                       global const REAL* restrict x, global const REAL* restrict y,
                       global const REAL* restrict u, global const REAL* restrict k1,
                       global REAL* restrict v) {
  const int n = get_global_id(0);
  if (n >= nodes_x * nodes_y) return;
  v[n] = bordered(u[n] + step * k1[n], n, c, nodes_x, nodes_y, x, y);
}

kernel void argument_3(const REAL step, const REAL c, const int nodes_x, const int nodes_y,
                       global const REAL* restrict x, global const REAL* restrict y,
                       global const REAL* restrict u, global const REAL* restrict k1,
                       global const REAL* restrict k2, global REAL* restrict v) {
  const int n = get_global_id(0);
  if (n >= nodes_x * nodes_y) return;
  v[n] = bordered(u[n] + step * (k1[n] + k2[n]), n, c, nodes_x, nodes_y, x, y);
}

kernel void argument_4(const REAL step, const REAL c, const int nodes_x, const int nodes_y,
                       global const REAL* restrict x, global const REAL* restrict y,
                       global const REAL* restrict u, global const REAL* restrict k1,
                       global const REAL* restrict k3, global REAL* restrict v) {
  const int n = get_global_id(0);
  if (n >= nodes_x * nodes_y) return;
  v[n] = bordered(u[n] + step * (k1[n] + 3 * k3[n]), n, c, nodes_x, nodes_y, x, y);
}

kernel void argument_5(const REAL step, const REAL c, const int nodes_x, const int nodes_y,
                       global const REAL* restrict x, global const REAL* restrict y,
                       global const REAL* restrict u, global const REAL* restrict k1,
                       global const REAL* restrict k3, global const REAL* restrict k4,
                       global REAL* restrict v) {
  const int n = get_global_id(0);
  if (n >= nodes_x * nodes_y) return;
  v[n] = bordered(u[n] + step * (k1[n] - 3 * k3[n] + 4 * k4[n]), n, c, nodes_x, nodes_y, x, y);
}

kernel void update(const REAL step, const REAL c, const int nodes_x, const int nodes_y,
                   global const REAL* restrict x, global const REAL* restrict y,
                   global const REAL* restrict k1, global const REAL* restrict k4,
                   global const REAL* restrict k5, global REAL* restrict u) {
  const int n = get_global_id(0);
  if (n >= nodes_x * nodes_y) return;
  u[n] = bordered(u[n] + step * (k1[n] + 4 * k4[n] + k5[n]), n, c, nodes_x, nodes_y, x, y);
}

// The larger of two values, or NaN if one is NaN. fmax would drop the NaN, and a
// blow-up would pass for success.
REAL larger(const REAL a, const REAL b) {
  return a >= b || isnan(a) ? a : b;
}

// max |2 k1 - 9 k3 + 8 k4 - k5| of each group, which is 30 e / tau.
kernel void largest_difference(const int nodes, global const REAL* restrict k1,
                               global const REAL* restrict k3, global const REAL* restrict k4,
                               global const REAL* restrict k5, global REAL* restrict largest) {
  local REAL part[GROUP];
  const int me = get_local_id(0);
  const int stride = get_global_size(0);
  REAL mine = 0;
  for (int n = get_global_id(0); n < nodes; n += stride)
    mine = larger(mine, fabs(2 * k1[n] - 9 * k3[n] + 8 * k4[n] - k5[n]));
  part[me] = mine;
  for (int reach = GROUP / 2; reach > 0; reach /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (me < reach) part[me] = larger(part[me], part[me + reach]);
  }
  if (me == 0) largest[get_group_id(0)] = part[0];
}
