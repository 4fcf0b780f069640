// SPDX-License-Identifier: MIT
// The paper's sequence of kernels: in each stage the non-local term of each diffusing field, the local terms
// of all fields, and the update.
// Place: section 4, Fig 2, (n_d + 2) n_s launches per step.
// Formula: z' = D Laplacian z + f(z), (3), (4) or (5) with (6), by the methods of section 3.
// Where we differ: a one-dimensional range with one work-item per cell (in the update, per value) in groups
// of 64; the paper's have 32. There are at most four copies of the state, where the paper keeps 2 n_s,
// because the sum of the k is accumulated stage by stage.
#include "solvers/tissue/models.cl.hpp"
#include "solvers/tissue/opencl_stages.cl.hpp"
#include "solvers/tissue/opencl_substeps.hpp"

namespace reprise::tissue {
namespace {

template <class Real>
class typed final : public opencl_substeps<Real> {
 public:
  explicit typed(const device& d) : opencl_substeps<Real>(d, {models_cl, opencl_stages_cl}) {}

 private:
  void add_stage(const opencl_program& program, const problem& p, const placed_stage<Real>& s,
                 const opencl_buffer<Real>& z) override {
    const int cells = p.nx * p.ny;
    for (int field = 0; field < diffusing_fields_of(p.model); ++field)
      this->add_launch(program, "non_local", p.cells(), p.nx, p.ny, field, coefficient_of(p, field), z,
                       this->k());
    this->add_launch(program, "local_terms", p.cells(), cells, p.steepness, s.h, z, this->k());
    this->add_launch(program, "update", p.cells() * p.state0.size(), cells, int{s.is_first}, int{s.is_last},
                     s.weight, s.h, this->k(), this->state_buffer(), this->argument(), this->sum());
  }

  work counted(model what, method how) const override { return work_of_three_parts(what, how, sizeof(Real)); }
};

using opencl_stages = in_either_precision<typed<float>, typed<double>>;

REPRISE_VARIANT(solver, opencl_stages,
                {.summary = "OpenCL, a kernel for each diffusing field, for the local terms, for the update",
                 .place = "section 4, Fig 2, (n_d + 2) n_s launches",
                 .precisions = {precision::single, precision::double_},
                 .per_unit = work_of_three_parts(model::karma, method::runge_kutta, sizeof(double))});

}  // namespace
}  // namespace reprise::tissue
