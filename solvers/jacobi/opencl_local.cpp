// SPDX-License-Identifier: MIT
// As opencl_simple, with the values of x that a work-group needs read once into local memory.
// Place: section 6.4, the shared-memory kernel, in another language and for one-dimensional storage.
// Formula: x'[i] = (1-w) x[i] + w (f[i] - sum over k != 4 of d_k[i] x[i + offset k]) / d_4[i]
// A work-group has consecutive nodes, and three segments of x: its own nodes and those a row before and after, each with
// one more value at both ends. On a processor's OpenCL a work-group is a loop, so the copy is then a cost.
#include "solvers/jacobi/opencl_diagonals.hpp"
#include "solvers/jacobi/opencl_local.cl.hpp"

namespace reprise::jacobi {
namespace {

class opencl_local_memory final : public opencl_diagonals {
 public:
  explicit opencl_local_memory(const device& d) : opencl_diagonals(d, opencl_local_cl) {}

  // Words of the segments that are written and read for a node of a full work-group.
  static constexpr work counted() {
    work w = plain_work;
    w.bytes_shared = sizeof(float) * (3. * (most_items + 2) / most_items + 9);
    return w;
  }

 private:
  void set(opencl_kernel& sweep, const problem& p, const arrays& with) override {
    const auto& d = with.d;
    const opencl_local segments{3 * (most_items + 2) * sizeof(float)};
    sweep.set(d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7], d[8], with.f, with.x, with.next, p.omega, p.nx,
              p.nodes(), segments);
  }
};

REPRISE_VARIANT(solver, opencl_local_memory,
                {.summary = "OpenCL, nine separate diagonals, x through local memory",
                 .place = "section 6.4, in OpenCL",
                 .precisions = {precision::single},
                 .per_unit = opencl_local_memory::counted()});

}  // namespace
}  // namespace reprise::jacobi
