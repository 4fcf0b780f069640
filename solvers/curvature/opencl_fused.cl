// SPDX-License-Identifier: MIT
// STAGES stages of an attempted step of Merson's method for a tile of nodes in one launch; follows flows.cl.
// Build options:
//   -D GROUP=size of a work-group, -D WIDTH and -D HEIGHT=size of a tile; WIDTH is a multiple of LANES
//   -D STAGES=5 or 1, -D RINGS=nodes that a stage looks beyond its own: 1, or 2 under Willmore flow
//   -D MANUFACTURED or -D NEUMANN for those boundary conditions
//
// A group has a tile of inner nodes and a margin of STAGES * RINGS nodes around them. RINGS of the margin become stale in
// each stage, so that the tile's own nodes are right at the end. Only these are written, with the nodes of the border
// next to them. Stale nodes and those beyond the grid hold numbers that no other node uses. Launches of a later stage
// read the k of earlier ones.
//
// A work-item has every GROUP-th vector of LANES nodes. Under Neumann conditions nodes of the border have the right-hand
// side of their inner neighbour. Otherwise it is zero there. k1 ... k4 are nodes_x * nodes_y apart in `slopes`.
// Tables x and y: the d-th derivative of the profile X at line i of n lines is element d n + i.
#define MARGIN (STAGES * RINGS)
#define ACROSS (WIDTH / LANES)
#define VECTORS (ACROSS * HEIGHT)
#define OF_ITEM ((VECTORS + GROUP - 1) / GROUP)

typedef JOINED(REAL, 8) eight_numbers;

// The grid, and the place of a tile's first node, which may be beyond it.
typedef struct {
  int nodes_x, nodes_y, first_x, first_y;
} place;

inline int is_border(const place p, const int i, const int j) {
  return i == 0 || j == 0 || i == p.nodes_x - 1 || j == p.nodes_y - 1;
}

// A vector of nodes of a tile: its first column, its row, and the row of its inner neighbours.
typedef struct {
  int column, row, centre;
} spot;

inline spot spot_of(const place p, const int vector) {
  const int row = vector / ACROSS;
  const spot at = {vector % ACROSS * LANES, row, clamp(p.first_y + row, 1, p.nodes_y - 2) - p.first_y};
  return at;
}

// Whether the right-hand side can be computed there, if `stale` rows at the edges of the tile cannot.
inline int is_computed(const place p, const spot at, const int stale) {
  const int j = p.first_y + at.row;
  return at.row < HEIGHT && j >= 0 && j < p.nodes_y && at.centre >= stale && at.centre < HEIGHT - stale;
}

// Whether the tile is to write this node of a row that it computes to the end.
inline int is_own(const place p, const int column) {
  const int i = p.first_x + column;
  const int inner = clamp(i, 1, p.nodes_x - 2) - p.first_x;
  return i >= 0 && i < p.nodes_x && inner >= MARGIN && inner < WIDTH - MARGIN;
}

// The values of a field at the nodes from (i, j) on; beyond the grid those of its border.
inline real load_field(global const REAL* field, const place p, const int i, const int j) {
  global const REAL* row = field + clamp(j, 0, p.nodes_y - 1) * p.nodes_x;
  if (i >= 0 && i + LANES <= p.nodes_x) return LOADED(row, i);
  REAL each[LANES];
  for (int lane = 0; lane < LANES; ++lane) each[lane] = row[clamp(i + lane, 0, p.nodes_x - 1)];
  return LOADED(each, 0);
}

inline void store_field(const real value, global REAL* field, const place p, const spot at) {
  REAL each[LANES];
  STORE(value, each, 0);
  for (int lane = 0; lane < LANES; ++lane)
    if (is_own(p, at.column + lane))
      field[(p.first_y + at.row) * p.nodes_x + p.first_x + at.column + lane] = each[lane];
}

// Loads what is around nodes of the tile, or around their inner neighbours if they are on the border.
inline void load_around(local const REAL* tile, const place p, const spot at, real (*around)[3]) {
  const int i = p.first_x + at.column;
  const int is_plain = i > 0 && i + LANES < p.nodes_x;
  for (int dy = 0; dy < 3; ++dy)
    for (int dx = 0; dx < 3; ++dx) {
      local const REAL* from = tile + (at.centre + dy - 1) * WIDTH + dx - 1;
      if (is_plain) {
        around[dy][dx] = LOADED(from, at.column);
        continue;
      }
      REAL each[LANES];
      for (int lane = 0; lane < LANES; ++lane)
        each[lane] = from[clamp(clamp(i + lane, 1, p.nodes_x - 2) - p.first_x, 0, WIDTH - 1)];
      around[dy][dx] = LOADED(each, 0);
    }
}

// `value` at inner nodes; at those of the border too under Neumann conditions, and `other` there otherwise.
inline real bordered(const real value, const real other, const place p, const spot at) {
#ifdef NEUMANN
  return value;
#else
  const int i = p.first_x + at.column;
  const int j = p.first_y + at.row;
  if (i > 0 && i + LANES < p.nodes_x && j > 0 && j < p.nodes_y - 1) return value;
  REAL each[LANES];
  REAL others[LANES];
  STORE(value, each, 0);
  STORE(other, others, 0);
  for (int lane = 0; lane < LANES; ++lane)
    if (is_border(p, i + lane, j)) each[lane] = others[lane];
  return LOADED(each, 0);
#endif
}

// The sum whose multiple is added to u for the argument of stage s; `latest` is k2 or k3.
inline real slope_sum(const int s, const real k1, const real latest, const real k4) {
  if (s == 1) return k1;
  if (s == 2) return k1 + latest;
  if (s == 3) return k1 + 3 * latest;
  return k1 - 3 * latest + 4 * k4;
}

// Stages first ... first + STAGES - 1. `fractions` are tau times the factors of slope_sum(), phases and rates are c and
// dc/dt at the stages; c of the last one is also that of the result. The last launch of an attempt leaves
// max |2 k1 - 9 k3 + 8 k4 - k5| of each group, which is 30 e / tau, and u + step (k1 + 4 k4 + k5).
kernel void make_stages(const eight_numbers fractions, const eight_numbers phases, const eight_numbers rates,
                        const REAL step, const int first, const int nodes_x, const int nodes_y, const REAL ihx,
                        const REAL ihy, global const REAL* restrict x, global const REAL* restrict y,
                        global const REAL* restrict before, global REAL* slopes, global REAL* restrict after,
                        global REAL* restrict largest) {
  // Rows are read from one node before their first one to one behind their last one.
  local REAL argument_and_ends[(VECTORS + 2) * LANES];
  local REAL* argument = argument_and_ends + LANES;
#ifdef WILLMORE
  local REAL curvatures_and_ends[(VECTORS + 2) * LANES];
  local REAL* curvatures = curvatures_and_ends + LANES;
#endif
  local REAL part[GROUP];
  const int self = get_local_id(0);
  const int tiles_across = (nodes_x - 2 + WIDTH - 2 * MARGIN - 1) / (WIDTH - 2 * MARGIN);
  const int nodes = nodes_x * nodes_y;
  const int tile = get_group_id(0);
  const place p = {nodes_x, nodes_y, 1 + tile % tiles_across * (WIDTH - 2 * MARGIN) - MARGIN,
                   1 + tile / tiles_across * (HEIGHT - 2 * MARGIN) - MARGIN};
  const place line = {nodes_x, 1, 0, 0};
  REAL fraction[8], phase[8], rate[8];
  vstore8(fractions, 0, fraction);
  vstore8(phases, 0, phase);
  vstore8(rates, 0, rate);

  real u[OF_ITEM], k1[OF_ITEM], latest[OF_ITEM], k4[OF_ITEM];
  for (int n = 0; n < OF_ITEM; ++n) {
    const spot at = spot_of(p, self + n * GROUP);
    const int i = p.first_x + at.column;
    const int j = p.first_y + at.row;
    if (at.row >= HEIGHT) continue;
    u[n] = load_field(before, p, i, j);
    k1[n] = latest[n] = k4[n] = (real)(0);
    if (first > 0) k1[n] = load_field(slopes, p, i, j);
    if (first > 1) latest[n] = load_field(slopes + (first == 2 ? nodes : 2 * nodes), p, i, j);
    if (first > 3) k4[n] = load_field(slopes + 3 * nodes, p, i, j);
  }

  REAL mine = 0;
  int stale = 0;
  for (int s = first; s < first + STAGES; ++s) {
    for (int n = 0; n < OF_ITEM; ++n) {
      const spot at = spot_of(p, self + n * GROUP);
      if (at.row >= HEIGHT) continue;
      real value = u[n];
      if (s > 0) value += fraction[s] * slope_sum(s, k1[n], latest[n], k4[n]);
#ifdef MANUFACTURED
      if (s > 0) {
        const real zeta =
            phase[s] * load_field(x, line, p.first_x + at.column, 0) * y[clamp(p.first_y + at.row, 0, nodes_y - 1)];
        value = bordered(value, zeta, p, at);
      }
#endif
      STORE(value, argument, at.row * WIDTH + at.column);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#ifdef WILLMORE
    for (int n = 0; n < OF_ITEM; ++n) {
      const spot at = spot_of(p, self + n * GROUP);
      if (!is_computed(p, at, stale + 1)) continue;
      real around[3][3];
      load_around(argument, p, at, around);
      STORE(bordered(curvature_at(around, ihx, ihy), (real)(0), p, at), curvatures, at.row * WIDTH + at.column);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    stale += RINGS;
    for (int n = 0; n < OF_ITEM; ++n) {
      const spot at = spot_of(p, self + n * GROUP);
      if (!is_computed(p, at, stale)) continue;
      real around[3][3];
      load_around(argument, p, at, around);
#ifdef WILLMORE
      real curvature[3][3];
      load_around(curvatures, p, at, curvature);
      real k = willmore_at(around, curvature, ihx, ihy);
#else
      real k = curvature_at(around, ihx, ihy);
#endif
#ifdef MANUFACTURED
      real along_x[5];
      real along_y[5];
      for (int d = 0; d < 5; ++d) {
        along_x[d] = load_field(x + d * nodes_x, line, p.first_x + at.column, 0);
        along_y[d] = y[d * nodes_y + p.first_y + at.row];
      }
      k += forcing_at(along_x, along_y, phase[s], rate[s]);
#endif
      k = bordered(k, (real)(0), p, at);
      if (s < 4) {
        if (s == 0) k1[n] = k;
        if (s == 1 || s == 2) latest[n] = k;
        if (s == 3) k4[n] = k;
        if (s == first + STAGES - 1) store_field(k, slopes + s * nodes, p, at);
        continue;
      }
      real result = u[n] + step * (k1[n] + 4 * k4[n] + k);
#ifdef MANUFACTURED
      result = bordered(result, phase[4] * along_x[0] * along_y[0], p, at);
#endif
      store_field(result, after, p, at);
      REAL difference[LANES];
      STORE(fabs(2 * k1[n] - 9 * latest[n] + 8 * k4[n] - k), difference, 0);
      for (int lane = 0; lane < LANES; ++lane)
        if (is_own(p, at.column + lane)) mine = larger(mine, difference[lane]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (first + STAGES < 5) return;
  part[self] = mine;
  for (int count = GROUP; count > 1;) {
    const int half_of_it = (count + 1) / 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (self + half_of_it < count) part[self] = larger(part[self], part[self + half_of_it]);
    count = half_of_it;
  }
  if (self == 0) largest[tile] = part[0];
}
