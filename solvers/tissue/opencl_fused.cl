// SPDX-License-Identifier: MIT
// Whole steps of a tile of cells in one launch; follows models.cl.
// Build options:
//   -D WIDTH, -D ROWS, -D GROUP_ROWS  a tile has WIDTH x (ROWS * GROUP_ROWS) cells; a group has
//                                     WIDTH x GROUP_ROWS work-items, each with ROWS cells of a column
//
// The kernel reads a tile's cells and a margin around them. One ring of the margin becomes stale in each
// stage. After all stages it writes the tile's cells without the margin. Beyond a border the margin
// holds the mirror image or periodic continuation of the tissue, whose cells are advanced like any
// others, so it remains valid.
// plan: the weight and h of each stage, see stages.hpp.
#define HEIGHT (ROWS * GROUP_ROWS)

kernel void steps_of_tiles(const int nx, const int ny, const REAL steepness, const REAL coefficient_u,
                           const REAL coefficient_v, const int stages, constant REAL* plan,
                           const int steps, const int margin, global const REAL* restrict from,
                           global REAL* restrict to) {
  local REAL shared[DIFFUSING][HEIGHT][WIDTH];
  const REAL coefficient[2] = {coefficient_u, coefficient_v};
  const int cells = nx * ny;
  const int width = WIDTH - 2 * margin;
  const int height = HEIGHT - 2 * margin;
  const int across = (nx + width - 1) / width;
  const int column = get_local_id(0) % WIDTH;
  const int first_row = get_local_id(0) / WIDTH;
  const int x = (int)get_group_id(0) % across * width - margin + column;
  const int y0 = (int)get_group_id(0) / across * height - margin;

  REAL z[ROWS][FIELDS];
  REAL argument[ROWS][FIELDS];
  REAL sum[ROWS][FIELDS];
  for (int r = 0; r < ROWS; ++r) {
    const int cell = folded(y0 + first_row + r * GROUP_ROWS, ny) * nx + folded(x, nx);
    for (int f = 0; f < FIELDS; ++f) argument[r][f] = z[r][f] = from[f * cells + cell];
  }

  int stale = 0;
  for (int stage = 0; stage < steps * stages; ++stage) {
    const int s = stage % stages;
    const REAL weight = plan[2 * s];
    const REAL h = plan[2 * s + 1];
    for (int r = 0; r < ROWS; ++r)
      for (int f = 0; f < DIFFUSING; ++f) shared[f][first_row + r * GROUP_ROWS][column] = argument[r][f];
    barrier(CLK_LOCAL_MEM_FENCE);
    ++stale;
    for (int r = 0; r < ROWS; ++r) {
      const int row = first_row + r * GROUP_ROWS;
      if (column < stale || column >= WIDTH - stale || row < stale || row >= HEIGHT - stale) continue;
      REAL term[FIELDS];
      local_terms_of(steepness, h, argument[r], term);
      for (int f = 0; f < DIFFUSING; ++f) {
        local const REAL* at = &shared[f][row][column];
        const REAL axial = (at[-1] + at[1]) + (at[-WIDTH] + at[WIDTH]);
        const REAL diagonal = (at[-WIDTH - 1] + at[-WIDTH + 1]) + (at[WIDTH - 1] + at[WIDTH + 1]);
        term[f] += coefficient[f] * (4 * (axial - 4 * at[0]) + (diagonal - 4 * at[0]));
      }
      for (int f = 0; f < FIELDS; ++f) {
#if GATES != 0
        if (f > 0) {
          argument[r][f] = z[r][f] = term[f];
          continue;
        }
#endif
        const REAL total = (s == 0 ? 0 : sum[r][f]) + weight * term[f];
        if (s == stages - 1) {
          z[r][f] += h * total;
          argument[r][f] = z[r][f];
        } else {
          sum[r][f] = total;
          argument[r][f] = z[r][f] + h * term[f];
        }
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }

  for (int r = 0; r < ROWS; ++r) {
    const int row = first_row + r * GROUP_ROWS;
    const int y = y0 + row;
    if (column < margin || column >= WIDTH - margin || row < margin || row >= HEIGHT - margin) continue;
    if (x >= nx || y >= ny) continue;
    for (int f = 0; f < FIELDS; ++f) to[f * cells + y * nx + x] = z[r][f];
  }
}
