// SPDX-License-Identifier: MIT
// Base class of the OpenCL variants, in single or double precision: the state on the device, the program, and a step as a list of launches,
// made when a problem is loaded.
// Formula: as in cpu_serial.cpp, all fields together; gates by implicit Euler or Rush-Larsen from the old u.
// A variant defines which launches a stage of a method needs.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "solvers/common/base/error.hpp"
#include "solvers/common/opencl/opencl.hpp"
#include "solvers/tissue/cells.hpp"
#include "solvers/tissue/opencl_model.hpp"
#include "solvers/tissue/stages.hpp"
#include "solvers/tissue/variant.hpp"

namespace reprise::tissue {

// Values per cell that the updates of a step read and write, as in advance() of models.cl: k,
// the state and, in methods with several stages, the sum and the argument. For a gate with its
// own method, k is the new state.
inline double updated_values(model what, method how) {
  const double fields = fields_of(what);
  if (how == method::implicit_euler || how == method::rush_larsen) return 3 + 2 * (fields - 1);
  return fields * (how == method::runge_kutta ? 4 + 5 + 5 + 4 : how == method::heun ? 4 + 4 : 3);
}

// Work of variants with separate kernels for non-local terms, local terms and the update. Logical: every read
// and write of the kernels. Compulsory: the nine reads of the Laplacian count as one; values pass from one
// kernel to the next through memory.
inline work work_of_three_parts(model what, method how, double word_bytes) {
  const double diffusing = diffusing_fields_of(what);
  const double local = 2 * fields_of(what) + diffusing;
  const double update = updated_values(what, how);
  return {.bytes_logical = word_bytes * (stages_of(how) * (10 * diffusing + local) + update),
          .bytes_dram = word_bytes * (stages_of(how) * (2 * diffusing + local) + update),
          .bytes_dram_once = 0,
          .flops = step_flops(what, how)};
}

template <class Real>
struct placed_stage : stage_in<Real> {
  bool is_first, is_last;
};

template <class Real>
class opencl_substeps : public solver {
 public:
  // The sources are concatenated into one program.
  opencl_substeps(const device& d, std::initializer_list<std::string_view> sources)
      : device_(d), context_(d), clock_(context_) {
    for (const std::string_view source : sources) source_ += source;
  }

  void load(const problem& p, method m, double dt, precision) final {
    require_method(p, m, dt);
    require_precision<Real>(device_);
    make_room(p, m);
    const opencl_program program(context_, source_, opencl_options<Real>(p, m));
    const schedule_in<Real> how = rounded<Real>(schedule_of(m, dt));
    for (int s = 0; s < how.stages; ++s)
      add_stage(program, p, {how.of[s], s == 0, s == how.stages - 1}, s == 0 ? state_ : argument_);
    reset();
  }

  void reset() final { state_.write(state0_); }

  void step(long count) final {
    for (long n = 0; n < count; ++n)
      for (const launch& l : step_) l.kernel.run(l.items, group);
    context_.flush();
  }

  std::vector<std::vector<double>> state() final { return fields_in(state_, cells_); }

  stopwatch& clock() final { return clock_; }
  double launches_per_step() const final { return static_cast<double>(step_.size()); }
  work per_unit() const final { return work_; }

 protected:
  // Adds the launches of one stage to the step. The stage evaluates the right-hand side of z.
  virtual void add_stage(const opencl_program& program, const problem& p, const placed_stage<Real>& s,
                         const opencl_buffer<Real>& z) = 0;
  virtual work counted(model what, method how) const = 0;

  // Numbers of the problem are passed in the kernels' precision.
  template <class... Arguments>
  void add_launch(const opencl_program& program, const char* name, std::size_t items,
                  const Arguments&... arguments) {
    opencl_kernel kernel(program, name);
    kernel.set(in_precision(arguments)...);
    step_.push_back({std::move(kernel), items});
  }

  const opencl_buffer<Real>& k() const { return k_; }
  const opencl_buffer<Real>& state_buffer() const { return state_; }
  const opencl_buffer<Real>& argument() const { return argument_; }
  const opencl_buffer<Real>& sum() const { return sum_; }

 private:
  static constexpr std::size_t group = 64;

  static Real in_precision(double number) { return static_cast<Real>(number); }
  template <class Argument>
  static const Argument& in_precision(const Argument& other) {
    return other;
  }

  struct launch {
    opencl_kernel kernel;
    std::size_t items;
  };

  void make_room(const problem& p, method m) {
    step_.clear();  // frees the old problem before allocating the new one
    for (auto* buffer : {&state_, &k_, &argument_, &sum_}) *buffer = {};
    cells_ = p.cells();
    state0_ = flattened<Real>(p.state0);
    state_ = opencl_buffer<Real>(context_, state0_.size());
    k_ = opencl_buffer<Real>(context_, state0_.size());
    if (stages_of(m) > 1) {
      argument_ = opencl_buffer<Real>(context_, state0_.size());
      sum_ = opencl_buffer<Real>(context_, state0_.size());
    }
    work_ = counted(p.model, m);
    work_.functions = stages_of(m) * functions_of_cell(p, m, true);
  }

  device device_;
  opencl_context context_;
  opencl_stopwatch clock_;
  std::string source_;
  std::size_t cells_{};
  std::vector<Real> state0_;
  opencl_buffer<Real> state_, k_;
  opencl_buffer<Real> argument_, sum_;  // only in methods with several stages
  std::vector<launch> step_;
  work work_;
};

}  // namespace reprise::tissue
