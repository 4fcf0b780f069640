// SPDX-License-Identifier: MIT
// As opencl_simple, with the values of x that a work-group needs read once into local memory.
// Place: section 6.4, the shared-memory kernel, in another language and for one-dimensional storage.
// Formula: x'[i] = (1-w) x[i] + w (f[i] - sum over k != 4 of d_k[i] x[i + offset k]) / d_4[i]
// A work-group has consecutive nodes, and three segments of x: its own nodes and those a row before and after, each with
// one more value at both ends. How many nodes a group has is chosen for the device by a short search. On a processor's
// OpenCL a work-group is a loop, so the copy is then a cost.
#include <string>

#include "solvers/common/opencl/shape.hpp"
#include "solvers/jacobi/opencl_diagonals.hpp"
#include "solvers/jacobi/opencl_local.cl.hpp"

namespace reprise::jacobi {
namespace {

class opencl_local_memory final : public opencl_diagonals, public chooses_shape {
 public:
  explicit opencl_local_memory(const device& d) : opencl_diagonals(d, opencl_local_cl), device_(d) {}

  void load(const problem& p) override {
    if (!has_shape()) shape_ = fastest();
    opencl_diagonals::load(p);
  }

  // Words of the segments that are written and read for a node of a full work-group of the paper's size; a larger group
  // saves half a per cent, a smaller one of 16 nodes costs 2 %.
  static constexpr work counted() {
    work w = plain_work;
    w.bytes_shared = sizeof(float) * (3. * (papers_items + 2) / papers_items + 9);
    return w;
  }

 private:
  std::size_t items() const override { return shape_.items; }

  void set(opencl_kernel& sweep, const problem& p, const arrays& with) override {
    const auto& d = with.d;
    const opencl_local segments{3 * (items() + 2) * sizeof(float)};
    sweep.set(d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7], d[8], with.f, with.x, with.next, p.omega, p.nx,
              p.nodes(), segments);
  }

  opencl_shape fastest() const {
    return fastest_group(device_, "jacobi/opencl_local",
                         [this](const opencl_shape& shape) { return seconds_in(shape); });
  }

  // The shortest time of a few sweeps of the paper's problem.
  double seconds_in(const opencl_shape& shape) const {
    const int side = device_.on_host ? 128 : 1024;
    constexpr int sweeps = 10, tries = 3;
    opencl_local_memory probe(device_);
    probe.shape_ = shape;
    probe.load(make_problem(matrix::neumann, side, side));
    return shortest_seconds(probe.clock(), tries, [&] { probe.sweep(sweeps); });
  }

  device device_;
};

REPRISE_VARIANT(solver, opencl_local_memory,
                {.summary = "OpenCL, nine separate diagonals, x through local memory",
                 .place = "section 6.4, in OpenCL",
                 .precisions = {precision::single},
                 .per_unit = opencl_local_memory::counted()});

}  // namespace
}  // namespace reprise::jacobi
