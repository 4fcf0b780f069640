// SPDX-License-Identifier: MIT
// MAGMA's getrf on the device alone, and its getrs, in double precision.
// Place: beyond the paper, whose MAGMA factorised panels on the host.
// Formula: P A = L U, stored by columns.
#include "solvers/angiogenesis/magma_dense.hpp"

namespace reprise::angiogenesis {
namespace {

class magma_native final : public magma_dense {
 public:
  using magma_dense::magma_dense;

 protected:
  magma_int_t factorise_there(int order, double* matrix, int* pivots, int* info) override {
    return REPRISE_LATE(reprise::magma, magma_dgetrf_native)(order, order, matrix, order, pivots, info);
  }
};

REPRISE_VARIANT(solver, magma_native,
                {.summary = "MAGMA's getrf and getrs, on the device alone",
                 .place = "beyond the paper",
                 .precisions = {precision::double_},
                 .per_unit = usual_dense_work(),
                 .repeats = determinism::bounded});

}  // namespace
}  // namespace reprise::angiogenesis
