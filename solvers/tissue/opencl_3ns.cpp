// SPDX-License-Identifier: MIT
// One kernel for the non-local terms of all diffusing fields, one for the local terms, one for the update.
// Place: section 6, the first proposal for fewer launches: 3 n_s launches per step.
// Formula: as in opencl_stages.
// The kernels move the same values as those of opencl_stages. If only one field diffuses,
// the launches are also the same.
#include "solvers/tissue/models.cl.hpp"
#include "solvers/tissue/opencl_3ns.cl.hpp"
#include "solvers/tissue/opencl_stages.cl.hpp"
#include "solvers/tissue/opencl_substeps.hpp"

namespace reprise::tissue {
namespace {

template <class Real>
class typed final : public opencl_substeps<Real> {
 public:
  explicit typed(const device& d) : opencl_substeps<Real>(d, {models_cl, opencl_stages_cl, opencl_3ns_cl}) {}

 private:
  void add_stage(const opencl_program& program, const problem& p, const placed_stage<Real>& s,
                 const opencl_buffer<Real>& z) override {
    const int cells = p.nx * p.ny;
    this->add_launch(program, "non_local_of_all", p.cells(), p.nx, p.ny, coefficient_of(p, 0),
                     coefficient_of(p, 1), z, this->k());
    this->add_launch(program, "local_terms", p.cells(), cells, p.steepness, s.h, z, this->k());
    this->add_launch(program, "update", p.cells() * p.state0.size(), cells, int{s.is_first}, int{s.is_last},
                     s.weight, s.h, this->k(), this->state_buffer(), this->argument(), this->sum());
  }

  work counted(model what, method how) const override { return work_of_three_parts(what, how, sizeof(Real)); }
};

using opencl_3ns = in_either_precision<typed<float>, typed<double>>;

REPRISE_VARIANT(solver, opencl_3ns,
                {.summary = "OpenCL, one kernel for all non-local terms, the local terms, the update",
                 .place = "section 6, 3 n_s launches",
                 .precisions = {precision::single, precision::double_},
                 .per_unit = work_of_three_parts(model::karma, method::runge_kutta, sizeof(double))});

}  // namespace
}  // namespace reprise::tissue
