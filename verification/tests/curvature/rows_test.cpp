// SPDX-License-Identifier: MIT
// Tests how a grid is split into blocks of rows for several ranks.
#include "solvers/curvature/row_blocks.hpp"
#include "verification/tests/support/tests.hpp"

using namespace reprise;
using namespace reprise::curvature;

namespace {

// Calls test(flow, grid, block, rank) for each of three ranks.
template <class Test>
void for_three_ranks(Test test) {
  for (flow motion : all_flows) {
    const grid g = evolution_grid(motion, 9, 3 * halo_rows(motion) + 2);
    for (int r = 0; r < 3; ++r) test(motion, g, block_of(g, r, 3), r);
  }
}

}  // namespace

TEST_CASE("blocks of rows share the inner rows, and none is more than a row higher than another") {
  for (flow motion : all_flows)
    for (int ranks : {1, 2, 3, 4, 7})
      for (int more : {0, 1, 5}) {
        const int inner = ranks * halo_rows(motion) + more;
        const grid g = evolution_grid(motion, 9, inner + 1);
        REQUIRE_NOTHROW(require_rows_for(g, ranks));
        int next = 1;
        for (int r = 0; r < ranks; ++r) {
          const row_block b = block_of(g, r, ranks);
          CHECK(b.own.first == next);
          const int height = b.own.last - b.own.first;
          CHECK((height == inner / ranks || height == inner / ranks + 1));
          next = b.own.last;
        }
        CHECK(next == g.cells_y);
      }
}

TEST_CASE("a rank holds what five stages look at, and its neighbours have all of it") {
  for_three_ranks([](flow motion, const grid& g, const row_block& b, int r) {
    CHECK(b.held.first == (r == 0 ? 0 : b.own.first - halo_rows(motion)));
    CHECK(b.held.last == (r == 2 ? g.nodes_y() : b.own.last + halo_rows(motion)));
    if (r > 0) CHECK(b.held.first >= block_of(g, r - 1, 3).own.first);
    if (r < 2) CHECK(b.held.last <= block_of(g, r + 1, 3).own.last);
  });
}

TEST_CASE("each stage computes all rows that the next one looks at, and the last one its own") {
  for_three_ranks([](flow motion, const grid& g, const row_block& b, int) {
    row_range had = b.held;
    for (int stage = 0; stage < stages_of_attempt; ++stage) {
      const row_range rows = rows_of_stage(g, b, stage);
      // At the grid's border there are no further rows to read.
      CHECK((rows.first - reach_of(motion) >= had.first || rows.first == 1));
      CHECK((rows.last + reach_of(motion) <= had.last || rows.last == g.cells_y));
      had = rows;
    }
    CHECK(had.first == b.own.first);
    CHECK(had.last == b.own.last);
  });
}

TEST_CASE("more ranks than rows for their halos are refused, one rank never") {
  for (flow motion : all_flows) {
    const grid g = evolution_grid(motion, 9, 3 * halo_rows(motion));
    CHECK_THROWS_AS(require_rows_for(g, 3), unavailable);
    CHECK_NOTHROW(require_rows_for(g, 2));
  }
  CHECK_NOTHROW(require_rows_for(evolution_grid(flow::willmore, 2, 2), 1));
}
