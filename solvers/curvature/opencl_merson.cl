// SPDX-License-Identifier: MIT
// Merson's method for the curvature flows of a graph, with one work-item per node; follows flows.cl with one lane.
// Build options:
//   -D GROUP=size of a work-group, a power of two
//   -D MANUFACTURED or -D NEUMANN for those boundary conditions
// k1 ... k5 hold f without tau. Node (i, j) has the index n = j nodes_x + i.
// Under Neumann conditions k and w at the border copy the inner neighbour, so that u does too. Otherwise they
// keep their initial zeros there.
// Tables x and y: the d-th derivative of the profile X at line i of n lines is element d n + i.

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

// Loads a field around a node.
void load_around(global const REAL* f, const int row, real (*at)[3]) {
  for (int dy = 0; dy < 3; ++dy)
    for (int dx = 0; dx < 3; ++dx) at[dy][dx] = f[(dy - 1) * row + dx - 1];
}

kernel void curvature(const int nodes_x, const int nodes_y, const REAL ihx, const REAL ihy,
                      global const REAL* restrict field, global REAL* restrict w) {
  const int n = get_global_id(0);
  const int centre = centre_of(n, nodes_x, nodes_y);
  if (centre < 0) return;
  real u[3][3];
  load_around(field + centre, nodes_x, u);
  w[n] = curvature_at(u, ihx, ihy);
}

#ifdef WILLMORE
kernel void willmore(const int nodes_x, const int nodes_y, const REAL ihx, const REAL ihy,
                     global const REAL* restrict field, global const REAL* restrict curvatures,
                     global REAL* restrict k) {
  const int n = get_global_id(0);
  const int centre = centre_of(n, nodes_x, nodes_y);
  if (centre < 0) return;
  real u[3][3];
  real w[3][3];
  load_around(field + centre, nodes_x, u);
  load_around(curvatures + centre, nodes_x, w);
  k[n] = willmore_at(u, w, ihx, ihy);
}
#endif

#ifdef MANUFACTURED
// k += F.
kernel void forcing(const REAL c, const REAL rate, const int nodes_x, const int nodes_y,
                    global const REAL* restrict x, global const REAL* restrict y, global REAL* restrict k) {
  const int n = get_global_id(0);
  if (centre_of(n, nodes_x, nodes_y) < 0) return;
  real along_x[5];
  real along_y[5];
  for (int d = 0; d < 5; ++d) {
    along_x[d] = x[d * nodes_x + n % nodes_x];
    along_y[d] = y[d * nodes_y + n / nodes_x];
  }
  k[n] += forcing_at(along_x, along_y, c, rate);
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
