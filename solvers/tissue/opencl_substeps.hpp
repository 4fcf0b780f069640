// SPDX-License-Identifier: MIT
// What the OpenCL variants share: the state on the device, the program, and a step as a list of launches,
// made when a problem is loaded. A variant says which launches a stage of a method needs.
// Formula: as in cpu_serial.cpp, all fields together; gates by implicit Euler or Rush-Larsen from the old u.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "solvers/common/error.hpp"
#include "solvers/common/opencl.hpp"
#include "solvers/tissue/variant.hpp"

namespace reprise::tissue {

// A stage evaluates its argument's right-hand side k. The last one takes the state z to z + h sum(weight k);
// each other one makes the next argument z + h k.
struct stage {
  bool is_first, is_last;
  double weight, h;
};

inline std::vector<stage> stages_of_step(method how, double dt) {
  switch (how) {
    case method::heun:
      return {{true, false, 1, dt}, {false, true, 1, dt / 2}};
    case method::runge_kutta:
      return {{true, false, 1, dt / 2},
              {false, false, 2, dt / 2},
              {false, false, 2, dt},
              {false, true, 1, dt / 6}};
    default:
      return {{true, true, 1, dt}};
  }
}

inline double step_flops(model what, method how) {
  const double fields = fields_of(what);
  return stages_of(how) * (local_flops(what) + laplacian_flops * diffusing_fields_of(what)) +
         fields * (how == method::runge_kutta ? 13
                   : how == method::heun      ? 5
                                              : 2);
}

// Values of a cell that the updates of a step move: k, the state, and with several stages the sum and the
// argument, as advance in models.cl has them. A gate with a method of its own takes k for its new state.
inline double updated_values(model what, method how) {
  const double fields = fields_of(what);
  if (how == method::implicit_euler || how == method::rush_larsen) return 3 + 2 * (fields - 1);
  return fields * (how == method::runge_kutta ? 4 + 5 + 5 + 4 : how == method::heun ? 4 + 4 : 3);
}

// Of non-local terms, local terms and update in kernels of their own.
// Logical: every read and write of the kernels. Compulsory: the nine reads of the Laplacian are one; no
// kernel can pass a value to the next one but through memory.
inline work work_of_three_parts(model what, method how) {
  const double diffusing = diffusing_fields_of(what);
  const double local = 2 * fields_of(what) + diffusing;
  const double update = updated_values(what, how);
  return {.bytes_logical = sizeof(double) * (stages_of(how) * (10 * diffusing + local) + update),
          .bytes_dram = sizeof(double) * (stages_of(how) * (2 * diffusing + local) + update),
          .bytes_dram_once = 0,
          .flops = step_flops(what, how)};
}

class opencl_substeps : public solver {
 public:
  // The sources follow each other in one program.
  opencl_substeps(const device& d, std::initializer_list<std::string_view> sources)
      : device_(d), context_(d), clock_(context_) {
    for (const std::string_view source : sources) source_ += source;
  }

  void load(const problem& p, method m, double dt) final {
    require_method(p, m, dt);
    if (!device_.fp64) throw unavailable("no cl_khr_fp64 on " + device_.id);
    make_room(p, m);
    const opencl_program program(context_, source_, options_of(p, m));
    for (const stage& s : stages_of_step(m, dt)) add_stage(program, p, s, s.is_first ? state_ : argument_);
    reset();
  }

  void reset() final { state_.write(state0_); }

  void step(long count) final {
    for (long n = 0; n < count; ++n)
      for (const launch& l : step_) l.kernel.run(l.items, group);
    context_.flush();
  }

  std::vector<std::vector<double>> state() final {
    std::vector<std::vector<double>> fields;
    for (std::size_t first = 0; first < state_.size(); first += cells_)
      fields.push_back(state_.read(first, cells_));
    return fields;
  }

  stopwatch& clock() final { return clock_; }
  int launches_per_step() const final { return static_cast<int>(step_.size()); }
  work per_unit() const final { return work_; }

 protected:
  // Adds a stage's launches to the step; z is what it evaluates the right-hand side of.
  virtual void add_stage(const opencl_program& program, const problem& p, const stage& s,
                         const opencl_buffer<double>& z) = 0;
  virtual work counted(model what, method how) const = 0;

  template <class... Arguments>
  void add_launch(const opencl_program& program, const char* name, std::size_t items,
                  const Arguments&... arguments) {
    opencl_kernel kernel(program, name);
    kernel.set(arguments...);
    step_.push_back({std::move(kernel), items});
  }

  // D / (6 dx^2), which turns a weighted sum of neighbours into a non-local term.
  static double coefficient_of(const problem& p, int field) {
    return diffusion_of(p.what, field) / (6 * p.dx * p.dx);
  }

  const opencl_buffer<double>& k() const { return k_; }
  const opencl_buffer<double>& state_buffer() const { return state_; }
  const opencl_buffer<double>& argument() const { return argument_; }
  const opencl_buffer<double>& sum() const { return sum_; }

 private:
  static constexpr std::size_t group = 64;

  struct launch {
    opencl_kernel kernel;
    std::size_t items;
  };

  static std::string options_of(const problem& p, method m) {
    const auto option = [](const char* name, int value) {
      return " -D " + std::string(name) + "=" + std::to_string(value);
    };
    const int gates = m == method::implicit_euler ? 1 : m == method::rush_larsen ? 2 : 0;
    return "-cl-std=CL1.2" + option("MODEL", static_cast<int>(p.what)) +
           option("FORM", static_cast<int>(p.form)) + option("BORDER", static_cast<int>(p.border)) +
           option("GATES", gates) + (p.has_sharp_constants ? " -D SHARP" : "") +
           (p.replaces_tanh ? " -D REPLACES_TANH" : "") + (p.multiplies_powers ? " -D POWERS" : "");
  }

  void make_room(const problem& p, method m) {
    step_.clear();  // the old problem makes room before the new one comes
    for (auto* buffer : {&state_, &k_, &argument_, &sum_}) *buffer = {};
    cells_ = p.cells();
    state0_.clear();
    for (const auto& field : p.state0) state0_.insert(state0_.end(), field.begin(), field.end());
    state_ = opencl_buffer<double>(context_, state0_.size());
    k_ = opencl_buffer<double>(context_, state0_.size());
    if (stages_of(m) > 1) {
      argument_ = opencl_buffer<double>(context_, state0_.size());
      sum_ = opencl_buffer<double>(context_, state0_.size());
    }
    work_ = counted(p.what, m);
  }

  device device_;
  opencl_context context_;
  opencl_stopwatch clock_;
  std::string source_;
  std::size_t cells_{};
  std::vector<double> state0_;
  opencl_buffer<double> state_, k_;
  opencl_buffer<double> argument_, sum_;  // of methods with several stages
  std::vector<launch> step_;
  work work_;
};

}  // namespace reprise::tissue
