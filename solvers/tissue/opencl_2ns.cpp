// SPDX-License-Identifier: MIT
// One kernel for the non-local terms of all diffusing fields, and one for the local terms and the update.
// Place: section 6, the second proposal for fewer launches: 2 n_s launches per step.
// Formula: as in opencl_stages.
// The Laplacian needs its neighbours' old values, so it cannot join the other kernel
// without a second copy of the state.
#include "solvers/tissue/models.cl.hpp"
#include "solvers/tissue/opencl_2ns.cl.hpp"
#include "solvers/tissue/opencl_3ns.cl.hpp"
#include "solvers/tissue/opencl_substeps.hpp"

namespace reprise::tissue {
namespace {

// Compared with opencl_stages, k does not leave the second kernel except for the non-local terms. In the
// first stage of a step the update also gets the state from the local terms.
work work_of(model what, method how, double word_bytes) {
  const bool has_own_gates = how == method::implicit_euler || how == method::rush_larsen;
  const double diffusing = diffusing_fields_of(what);
  const double fields = fields_of(what);
  const double local = fields + diffusing;
  const double update = updated_values(what, how) - stages_of(how) * fields;
  const double had = has_own_gates ? 1 : fields;
  return {.bytes_logical = word_bytes * (stages_of(how) * (10 * diffusing + local) + update),
          .bytes_dram = word_bytes * (stages_of(how) * (2 * diffusing + local) + update - had),
          .bytes_dram_once = 0,
          .flops = step_flops(what, how)};
}

template <class Real>
class typed final : public opencl_substeps<Real> {
 public:
  explicit typed(const device& d) : opencl_substeps<Real>(d, {models_cl, opencl_3ns_cl, opencl_2ns_cl}) {}

 private:
  void add_stage(const opencl_program& program, const problem& p, const placed_stage<Real>& s,
                 const opencl_buffer<Real>& z) override {
    this->add_launch(program, "non_local_of_all", p.cells(), p.nx, p.ny, coefficient_of(p, 0),
                     coefficient_of(p, 1), z, this->k());
    this->add_launch(program, "local_terms_and_update", p.cells(), p.nx * p.ny, p.steepness, int{s.is_first},
                     int{s.is_last}, s.weight, s.h, z, this->k(), this->state_buffer(), this->argument(),
                     this->sum());
  }

  work counted(model what, method how) const override { return work_of(what, how, sizeof(Real)); }
};

using opencl_2ns = in_either_precision<typed<float>, typed<double>>;

REPRISE_VARIANT(solver, opencl_2ns,
                {.summary = "OpenCL, one kernel for all non-local terms, one for local terms and update",
                 .place = "section 6, 2 n_s launches",
                 .precisions = {precision::single, precision::double_},
                 .per_unit = work_of(model::karma, method::runge_kutta, sizeof(double))});

}  // namespace
}  // namespace reprise::tissue
