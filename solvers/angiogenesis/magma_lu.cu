// SPDX-License-Identifier: MIT
// MAGMA's getrf and getrs in double precision, as the paper had them: host and device together.
// Place: section 5.6, Table 6.
// Formula: P A = L U, stored by columns; the panels are factorised on the host.
#include <algorithm>

#include "solvers/angiogenesis/magma_dense.hpp"

namespace reprise::angiogenesis {
namespace {

class magma_lu final : public magma_dense {
 public:
  using magma_dense::magma_dense;

  // MAGMA factorises matrices of fewer than two panels on the host as a whole.
  bus_traffic traffic() const override {
    const bus_traffic vectors = magma_dense::traffic();
    if (when() == factoring::once) return vectors;
    const int n = a().order;
    const int width = REPRISE_LATE(reprise::magma, magma_get_dgetrf_nb)(n, n);
    const int panel = width <= 1 || 2 * width >= n ? n : width;
    double words = 0;
    for (int first = 0; first < n; first += panel) words += 2.0 * (n - first) * std::min(panel, n - first);
    return {vectors.bytes + sizeof(double) * words,
            "b and x, b again to swap its rows, and each panel, all both ways"};
  }

 protected:
  magma_int_t factorise_there(int order, double* matrix, int* pivots, int* info) override {
    return REPRISE_LATE(reprise::magma, magma_dgetrf_gpu)(order, order, matrix, order, pivots, info);
  }
};

REPRISE_VARIANT(solver, magma_lu,
                {.summary = "MAGMA's getrf and getrs, panels on the host",
                 .place = "section 5.6, Table 6",
                 .precisions = {precision::double_},
                 .per_unit = usual_dense_work(),
                 .repeats = determinism::bounded});

}  // namespace
}  // namespace reprise::angiogenesis
