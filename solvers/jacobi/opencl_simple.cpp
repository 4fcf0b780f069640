// SPDX-License-Identifier: MIT
// The paper's simple CUDA kernel in OpenCL: nine separate vectors and a padded x,
// with one work-item per node.
// Place: section 6.1, Figs 11 and 12, in another language, as a baseline for the devices of every vendor.
// Formula: x'[i] = (1-w) x[i] + w (f[i] - sum over k != 4 of d_k[i] x[i + offset k]) / d_4[i]
// x has nx+1 zeros at both ends, so that no index needs a bounds check. Reads that wrap round at a row's ends
// are multiplied by zeros of the diagonals.
#include "solvers/jacobi/opencl_diagonals.hpp"
#include "solvers/jacobi/opencl_simple.cl.hpp"

namespace reprise::jacobi {
namespace {

class opencl_simple final : public opencl_diagonals {
 public:
  explicit opencl_simple(const device& d) : opencl_diagonals(d, opencl_simple_cl) {}

 private:
  void set(opencl_kernel& sweep, const problem& p, const arrays& with) override {
    const auto& d = with.d;
    sweep.set(d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7], d[8], with.f, with.x, with.next, p.omega, p.nx,
              p.nodes());
  }
};

REPRISE_VARIANT(solver, opencl_simple,
                {.summary = "OpenCL, nine separate diagonals, padded x",
                 .place = "section 6.1, Fig 11, in OpenCL",
                 .precisions = {precision::single},
                 .per_unit = plain_work});

}  // namespace
}  // namespace reprise::jacobi
