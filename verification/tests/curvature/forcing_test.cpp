// SPDX-License-Identifier: MIT
// Tests the forcing of the Willmore flow as a rational function of c, in emulation.
#include "verification/tests/support/emulation.hpp"

#include <algorithm>
#include <cmath>

#include "reference/curvature/manufactured.hpp"
#include "solvers/curvature/cuda_forcing.hpp"
#include "verification/tests/support/tests.hpp"

using namespace reprise;
using namespace reprise::curvature;

namespace {

// The largest departure from the reference, relative to the largest forcing.
double departure(const problem& p, double t) {
  const std::vector<double> exact = reference::curvature::forcing(p, t);
  double apart = 0;
  double largest = 0;
  for (int j = 1; j < p.cells_y; ++j)
    for (int i = 1; i < p.cells_x; ++i) {
      const double expected = exact[static_cast<std::size_t>(i + j * p.nodes_x())];
      const double found = series_of(profile_at(p.x(i)), profile_at(p.y(j))).at(phase_at(t));
      apart = std::max(apart, std::abs(found - expected));
      largest = std::max(largest, std::abs(expected));
    }
  return apart / largest;
}

}  // namespace

TEST_CASE("five values determine the forcing of the Willmore flow at all times") {
  const problem p = manufactured_problem(flow::willmore, 23, 18);
  for (const double t : {0., .05, .1, .3, .45, .5, .8, 1.}) {
    INFO("t = " << t);
    CHECK(departure(p, t) < 1e-13);  // rounding, which the differences amplify by less than a hundred
  }
}
