// SPDX-License-Identifier: MIT
// One thread, with one structure per cell.
// Place: section 4.1, the loop that is "a simple programming exercise".
// Formula: section 3 on (8), gates by (11).
#include "solvers/atrium/structures.hpp"

namespace reprise::atrium {
namespace {

struct one_thread : whole_sphere {
  template <class Voltage, class Body>
  static outcome over(std::size_t cells, Voltage, Body body) {
    outcome worst;
    for (std::size_t k = 0; k < cells; ++k) worst = worse(worst, body(k));
    return worst;
  }
};

using cpu_serial = in_either_precision<structures<float, one_thread>, structures<double, one_thread>>;

REPRISE_VARIANT(solver, cpu_serial,
                {.summary = "one thread, one structure a cell",
                 .place = "section 4.1",
                 .precisions = {precision::single, precision::double_},
                 .per_unit = counted(data_of(scheme::euler), gate_rule::rush_larsen, sizeof(float))});

}  // namespace
}  // namespace reprise::atrium
