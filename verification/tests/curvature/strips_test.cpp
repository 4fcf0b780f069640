// SPDX-License-Identifier: MIT
// Tests how the rows of a surface are cut into strips, in emulation.
#include "verification/tests/support/emulation.hpp"

#include <algorithm>

#include "solvers/curvature/cuda_strips.hpp"
#include "verification/tests/support/tests.hpp"

using namespace reprise;
using namespace reprise::curvature;

TEST_CASE("the line of a strip is the quotient of numbers of any size") {
  for (const unsigned strips : {1U, 2U, 3U, 7U, 73U, 4096U, 4097U, 65535U, 1'000'003U, (1U << 31) - 1}) {
    const strip_cut cut(1, strip_order::up_columns, strips);
    for (const unsigned of : {0U, 1U, 5U, 1000U, (1U << 16) + 1, 123'456'789U, (1U << 31) - 1}) {
      const unsigned nearest = of / strips * strips;
      for (const unsigned number : {of, nearest, std::max(nearest, 1U) - 1}) {
        INFO(number << " / " << strips);
        CHECK(cut.line_of(number) == number / strips);
      }
    }
  }
}
