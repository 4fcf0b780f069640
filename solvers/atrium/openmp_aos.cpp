// SPDX-License-Identifier: MIT
// All cores, one structure a cell: the paper's processor code.
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
    constexpr std::size_t worth_threads = 256;  // fewer cells take less time than waking them
    outcome found;
#pragma omp parallel for schedule(static) reduction(worst : found) if (cells >= worth_threads)
    for (std::size_t k = 0; k < cells; ++k) found = worse(found, body(k));
    return found;
  }
};

class in_single final : public structures<float, all_threads> {
 public:
  explicit in_single(const device&) {}
};
class in_double final : public structures<double, all_threads> {
 public:
  explicit in_double(const device&) {}
};
using openmp_aos = in_either_precision<in_single, in_double>;

REPRISE_VARIANT(solver, openmp_aos,
                {.summary = "all cores, one structure a cell",
                 .place = "sections 4.1 and 5.2.2, layout (16)",
                 .precisions = {precision::single, precision::double_},
                 .per_unit = counted(data_of(scheme::euler), gate_rule::rush_larsen, sizeof(float)),
                 .repeats = determinism::bitwise});

}  // namespace
}  // namespace reprise::atrium
