// SPDX-License-Identifier: MIT
// A run of the sphere on an OpenCL device: its state on the device and on the host, and what it has recorded. The shape of
// the kernels is chosen for the device by steps of a small sphere.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "solvers/atrium/opencl_cells.hpp"
#include "solvers/atrium/variant.hpp"
#include "solvers/common/base/device_choice.hpp"
#include "solvers/common/opencl/shape.hpp"

namespace reprise::atrium {

// Words of a whole step that must cross the memory bus if the sphere is larger than the caches: the state in
// and out, and between stages arguments, gates and slopes out and in.
constexpr work counted_in_opencl(const method_data& m, gate_rule rule, double word_bytes) {
  const auto stages = static_cast<double>(m.stages);
  const double slopes = slopes_of(m, rule);
  const double between = stages == 1 ? 0 : 3 * slopes / stages;
  work w = evaluation(slopes, word_bytes, (2 * variables + slots + between) * word_bytes + 4 * slots);
  w.functions = functions_of(m, rule);
  // The error and the first bad cell of each work-item, of as many cells as its shape says, are reduced by a tree.
  constexpr double accesses = 4;
  if (m.low_order > 0) w.bytes_shared = accesses * (word_bytes + sizeof(cl_uint)) / stages;
  return w;
}

template <class Real>
class opencl_run : public solver, public chooses_for_device {
 public:
  opencl_run(const device& d, std::string source) : device_(d), context_(d), source_(std::move(source)) {
    if (sizeof(Real) == sizeof(double) && !d.fp64) throw unavailable("no cl_khr_fp64 on " + d.id);
  }

  void load(const problem& p, precision) final {
    problem_ = p;
    states_ = {};  // frees the old problem before allocating the new one
    forget_problem();
    sphere_.load(context_, p);
    if (!is_shape_given_) shape_ = fastest();
    reset(control{});
  }

  void reset(const control& c) final {
    method_ = data_of(c.method);
    program_.emplace(context_, source_, opencl_options<Real>(c.gates, shape_.lanes));
    const std::vector<Real> y = sphere_.initial_state(problem_);
    for (auto& state : states_)
      if (state.size() != y.size()) state = opencl_buffer<Real>(context_, y.size());
    for (auto& state : states_) state.write(y);
    current_ = 0;
    state_ = at_start(problem_, c, static_cast<int>(method_.stages), method_.low_order);
    samples_.start(context_, *program_, problem_, c, c.is_adaptive ? 0 : problem_.protocol.t_end / c.dt);
    prepare(*program_);
    samples_.take(states_[0], 0, state_.t);
  }

  std::vector<cell_state> state() final { return sphere_.state_in(now()); }
  recording recorded() final {
    samples_.flush(state_.accepted);
    return samples_.kept();
  }
  stopwatch& clock() final {
    if (!clock_) clock_.emplace(context_);
    return *clock_;
  }
  work per_unit() const override { return counted_in_opencl(method_, state_.control.gates, sizeof(Real)); }
  std::string choice() const final { return to_string(shape_); }

 protected:
  // Frees what was allocated for a problem.
  virtual void forget_problem() = 0;
  // Creates the kernels for the method, and the memory that they need besides the states.
  virtual void prepare(const opencl_program& program) = 0;
  // Another solver of the same kind, which measures a shape.
  virtual std::unique_ptr<opencl_run> in_shape(const opencl_shape& shape) const = 0;
  virtual std::string_view name() const = 0;
  virtual std::vector<int> steps_of_launch() const { return {1}; }

  void give_shape(const opencl_shape& shape) {
    shape_ = shape;
    is_shape_given_ = true;
  }

  const device& on() const { return device_; }
  std::size_t items() const {
    const auto lanes = static_cast<std::size_t>(shape_.lanes);
    return (sphere_.cells() + lanes - 1) / lanes;
  }
  const opencl_buffer<Real>& now() const { return states_[static_cast<std::size_t>(current_)]; }
  const opencl_buffer<Real>& next() const { return states_[static_cast<std::size_t>(1 - current_)]; }
  void take_sample() { samples_.take(now(), state_.accepted, state_.t); }

  device device_;
  opencl_context context_;
  std::optional<opencl_stopwatch> clock_;
  problem problem_;
  method_data method_{};
  opencl_sphere<Real> sphere_;
  opencl_samples<Real> samples_;
  opencl_shape shape_;
  std::array<opencl_buffer<Real>, 2> states_;
  int current_{};  // index of the state that holds the cells
  progress state_;

 private:
  opencl_shape fastest() const {
    const int subdivisions = device_.on_host ? 3 : 6;
    opencl_limits limits = opencl_limits_of(device_, sizeof(Real));
    limits.steps = steps_of_launch();
    return fastest_shape(device_, name(), limits,
                         [&](const opencl_shape& shape) { return seconds_in(shape, subdivisions); });
  }

  // The shortest time of a few steps of Euler with Rush-Larsen.
  double seconds_in(const opencl_shape& shape, int subdivisions) const {
    constexpr double dt = .01;
    constexpr int steps = 4;
    constexpr int tries = 3;
    const auto probe = in_shape(shape);
    probe->load(sphere_problem(subdivisions), precision::single);
    probe->reset(fixed_steps(scheme::euler, gate_rule::rush_larsen, dt));
    double end = 0;
    return shortest_seconds(probe->clock(), tries, [&] { probe->advance(end += steps * dt); });
  }

  std::string source_;
  std::optional<opencl_program> program_;
  bool is_shape_given_{};
};

}  // namespace reprise::atrium
