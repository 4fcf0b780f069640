// SPDX-License-Identifier: MIT
// All cores, with one structure per cell: the paper's processor code.
// Place: sections 4.1 and 5.2.2, layout (16); 24 threads of two Xeon X5680.
// Formula: section 3 on (8), gates by (11).
#include "solvers/atrium/structures.hpp"

namespace reprise::atrium {
namespace {

#pragma omp declare reduction(worst:outcome \
                              : omp_out = worse(omp_out, omp_in)) initializer(omp_priv = outcome{})

struct all_threads : whole_sphere {
  template <class Voltage, class Body>
  static outcome over(std::size_t cells, Voltage, Body body) {
    constexpr std::size_t worth_threads = 256;  // with fewer cells, waking the threads takes longer
    outcome found;
#pragma omp parallel for schedule(static) reduction(worst : found) if (cells >= worth_threads)
    for (std::size_t k = 0; k < cells; ++k) found = worse(found, body(k));
    return found;
  }
};

using openmp_aos = in_either_precision<structures<float, all_threads>, structures<double, all_threads>>;

REPRISE_VARIANT(solver, openmp_aos,
                {.summary = "all cores, one structure a cell",
                 .place = "sections 4.1 and 5.2.2, layout (16)",
                 .precisions = {precision::single, precision::double_},
                 .per_unit = counted(data_of(scheme::euler), gate_rule::rush_larsen, sizeof(float))});

}  // namespace
}  // namespace reprise::atrium
