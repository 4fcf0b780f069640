// SPDX-License-Identifier: MIT
// One kernel per stage, whose work-items compute vectors of cells: for processors, where compilers of OpenCL do
// not make vectors of work-items.
// Place: beyond section 6, which gives 2 n_s launches as the fewest possible; here n_s.
// Formula: as in opencl_stages, with tanh computed by an exponential and constants replaced by their inverses.
// A second copy of the state or of the argument lets non-local terms, local terms and the update share a kernel.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "solvers/common/base/error.hpp"
#include "solvers/common/opencl/opencl.hpp"
#include "solvers/common/opencl/shape.hpp"
#include "solvers/tissue/cells.hpp"
#include "solvers/tissue/models.cl.hpp"
#include "solvers/tissue/opencl_model.hpp"
#include "solvers/tissue/opencl_vectors.cl.hpp"
#include "solvers/tissue/stages.hpp"
#include "solvers/tissue/variant.hpp"

namespace reprise::tissue {
namespace {

// Values that pass from one launch to the next: the argument and its successor, and in methods with several stages the
// state and the sum.
double passed_values(model what, method how) {
  const double fields = fields_of(what);
  const double stages = stages_of(how);
  return 2 * stages * fields + (stages - 1) * 3 * fields;
}

work work_of_vectors(model what, method how, double word_bytes) {
  const double passed = passed_values(what, how);
  return {.bytes_logical = word_bytes * (passed + stages_of(how) * 9.0 * diffusing_fields_of(what)),
          .bytes_dram = word_bytes * passed,
          .bytes_dram_once = 0,
          .flops = step_flops(what, how)};
}

template <class Real>
class typed final : public solver, public chooses_shape {
 public:
  explicit typed(const device& d) : device_(d), context_(d), clock_(context_) {}

  void load(const problem& p, method m, double dt, precision arithmetic) override {
    require_method(p, m, dt);
    require_precision<Real>(device_);
    for (auto* buffer : {&states_[0], &states_[1], &arguments_[0], &arguments_[1], &sum_})
      *buffer = {};  // frees the old problem before allocating the new one
    problem_ = p;
    method_ = m;
    schedule_ = rounded<Real>(schedule_of(m, dt));
    if (!has_shape()) shape_ = fastest(arithmetic);
    const opencl_program program(context_, std::string(models_cl) + std::string(opencl_vectors_cl),
                                 opencl_options<Real>(p, m) + " -D LEAN" +
                                     opencl_option("LANES", shape_.lanes) +
                                     opencl_option("VECTORS", vectors_of_row()));
    state0_ = flattened<Real>(p.state0);
    for (auto& state : states_) state = opencl_buffer<Real>(context_, state0_.size());
    sum_ = opencl_buffer<Real>(context_, schedule_.stages > 1 ? state0_.size() : 1);
    for (int n = 0; n < std::min(schedule_.stages - 1, 2); ++n)
      arguments_.at(static_cast<std::size_t>(n)) = opencl_buffer<Real>(context_, state0_.size());
    for (auto& kernels : steps_) kernels.clear();
    for (std::size_t from = 0; from < 2; ++from)
      for (int s = 0; s < schedule_.stages; ++s) steps_[from].push_back(stage_kernel(program, from, s));
    reset();
  }

  void reset() override {
    states_[0].write(state0_);
    current_ = 0;
  }

  void step(long count) override {
    const std::size_t items =
        static_cast<std::size_t>(vectors_of_row()) * static_cast<std::size_t>(problem_.ny);
    const std::size_t group = steps_[0].front().group_at_most(shape_.items);
    for (long n = 0; n < count; ++n) {
      for (const opencl_kernel& stage : steps_[current_]) stage.run(items, group);
      current_ = 1 - current_;
    }
    context_.flush();
  }

  std::vector<std::vector<double>> state() override { return fields_in(states_[current_], problem_.cells()); }

  stopwatch& clock() override { return clock_; }
  double launches_per_step() const override { return schedule_.stages; }
  work per_unit() const override {
    work w = work_of_vectors(problem_.model, method_, sizeof(Real));
    w.functions = stages_of(method_) * functions_of_cell(problem_, method_, true);
    return w;
  }

 private:
  int vectors_of_row() const { return (problem_.nx + shape_.lanes - 1) / shape_.lanes; }

  // Stage s of a step from the state `from`. The arguments of the stages take turns.
  opencl_kernel stage_kernel(const opencl_program& program, std::size_t from, int s) const {
    const auto argument = [&](int stage) -> const opencl_buffer<Real>& {
      if (stage == 0) return states_[from];
      if (stage == schedule_.stages) return states_[1 - from];
      return arguments_.at(static_cast<std::size_t>((stage - 1) % 2));
    };
    opencl_kernel kernel(program, "stage_of_rows");
    kernel.set(problem_.nx, problem_.ny, static_cast<Real>(problem_.steepness),
               static_cast<Real>(coefficient_of(problem_, 0)), static_cast<Real>(coefficient_of(problem_, 1)),
               int{s == 0}, int{s + 1 == schedule_.stages}, schedule_.of[s].weight, schedule_.of[s].h,
               argument(s), states_[from], argument(s + 1), sum_);
    return kernel;
  }

  opencl_shape fastest(precision arithmetic) const {
    return fastest_shape(device_, "tissue/opencl_vectors " + std::string(to_string(arithmetic)),
                         opencl_limits_of(device_, sizeof(Real)),
                         [&](const opencl_shape& shape) { return seconds_in(shape, arithmetic); });
  }

  // The shortest time of a few steps of Euler of a small tissue.
  double seconds_in(const opencl_shape& shape, precision arithmetic) const {
    const int side = device_.on_host ? 64 : 512;
    constexpr long steps = 8;
    constexpr int tries = 4;
    typed probe(device_);
    probe.shape_ = shape;
    probe.load(hill_problem(model::karma, side, side, usual_spacing(model::karma)), method::euler, 1e-3,
               arithmetic);
    return shortest_seconds(probe.clock(), tries, [&] { probe.step(steps); });
  }

  device device_;
  opencl_context context_;
  opencl_stopwatch clock_;
  problem problem_;
  method method_{};
  schedule_in<Real> schedule_{};
  std::vector<Real> state0_;
  std::array<opencl_buffer<Real>, 2> states_;
  std::array<opencl_buffer<Real>, 2> arguments_;  // only in methods with several stages
  opencl_buffer<Real> sum_;
  std::array<std::vector<opencl_kernel>, 2> steps_;  // the stages of a step from either state
  std::size_t current_{};                            // index of the state that holds the cells
};

using opencl_vectors = in_either_precision<typed<float>, typed<double>>;

REPRISE_VARIANT(solver, opencl_vectors,
                {.summary = "OpenCL, a kernel a stage, vectors of cells in a work-item",
                 .place = "beyond section 6, n_s launches",
                 .precisions = {precision::single, precision::double_},
                 .per_unit = work_of_vectors(model::karma, method::runge_kutta, sizeof(double))});

}  // namespace
}  // namespace reprise::tissue
