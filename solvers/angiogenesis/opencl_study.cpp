// SPDX-License-Identifier: MIT
// A parameter study in OpenCL, one work-item per member.
// Place: section 6, the purpose of the paper, for the devices of every vendor.
// Formula: the step of imex.hpp, with the three tridiagonal systems by elimination along the nodes.
// Members lie side by side in memory, and no work-item waits for another, so that any size of work-group will do; it is
// chosen for the device by a short search. Per node and step a member moves 35 values, 112 GB for 10^4 members of 100
// steps with 400 nodes: 23 ms at an H200's 4.8 TB/s. cuda_study keeps them on chip.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "solvers/angiogenesis/opencl_study.cl.hpp"
#include "solvers/angiogenesis/study.hpp"
#include "solvers/common/opencl/opencl.hpp"
#include "solvers/common/opencl/shape.hpp"

namespace reprise::angiogenesis {
namespace {

constexpr std::size_t tables = 7;
constexpr std::size_t coefficients = 14;
constexpr int steps_of_launch = 10;  // no launch runs so long that a display would stall

// In the order of the kernel's enumeration.
std::array<double, coefficients> coefficients_of(const parameters& with, int nodes, double dt) {
  const double half = dt / 2, half_of_bend = half * (nodes - 1) * (nodes - 1);
  return {half_of_bend * with.d_c,
          half_of_bend * with.d_p,
          half_of_bend * with.d_i,
          dt * with.k1,
          dt * with.k2,
          dt * with.k3,
          half * with.k4,
          dt * with.k5,
          half * with.k6,
          with.a1,
          with.a2,
          with.a3,
          with.a4,
          with.eps};
}

class opencl_study final : public study_runner, public chooses_shape {
 public:
  explicit opencl_study(const device& d) : device_(d), context_(d), clock_(context_) {
    if (!d.fp64) throw unavailable("no cl_khr_fp64 on " + d.id);
    program_.emplace(context_, opencl_study_cl);
  }

  void load(const study& s) override {
    require_sense(s);
    if (!has_shape()) shape_ = fastest();
    study_ = s;
    const std::size_t members = s.members.size(), values = members * s.unknowns();
    for (auto* memory : {&coefficients_, &u0_, &table_, &even_, &odd_}) *memory = {};
    std::vector<double> of_members(coefficients * members);
    for (std::size_t m = 0; m < members; ++m) {
      const auto one = coefficients_of(s.members[m], s.nodes, s.dt);
      for (std::size_t k = 0; k < coefficients; ++k) of_members[k * members + m] = one[k];
    }
    coefficients_ = opencl_uploaded(context_, of_members);
    u0_ = opencl_uploaded(context_, s.u0);
    table_ = opencl_buffer<double>(context_, tables * members * static_cast<std::size_t>(s.nodes));
    even_ = opencl_buffer<double>(context_, values);
    odd_ = opencl_buffer<double>(context_, values);
    steps_done_ = opencl_buffer<int>(context_, members);
    prepare_ = opencl_kernel(*program_, "prepare");
    prepare_.set(static_cast<int>(members), s.nodes, static_cast<int>(s.reading), s.dt, coefficients_, u0_,
                 table_, even_, steps_done_);
    march_ = opencl_kernel(*program_, "march");
  }

  void run() override {
    const std::size_t members = study_.members.size();
    prepare_.run(members, prepare_.group_at_most(shape_.items));
    for (int first = 0; first < study_.steps; first += steps_of_launch) {
      march_.set(static_cast<int>(members), study_.nodes, static_cast<int>(study_.reading), study_.dt, first,
                 std::min(steps_of_launch, study_.steps - first), coefficients_, table_, even_, odd_,
                 steps_done_);
      march_.run(members, march_.group_at_most(shape_.items));
    }
    context_.flush();
  }

  study_answer answer() override {
    const std::size_t members = study_.members.size(), unknowns = study_.unknowns();
    study_answer all{std::vector<double>(members * unknowns), steps_done_.read()};
    const std::array<std::vector<double>, 2> states{even_.read(), odd_.read()};
    for (std::size_t m = 0; m < members; ++m) {
      const std::vector<double>& last = states[static_cast<std::size_t>(all.steps[m] % 2)];
      for (std::size_t k = 0; k < unknowns; ++k) all.states[m * unknowns + k] = last[k * members + m];
    }
    return all;
  }

  stopwatch& clock() override { return clock_; }
  // The tables take four exponentials a node, once for each member.
  work per_unit() const override {
    work w = counted();
    w.functions = 4. / std::max(study_.steps, 1);
    return w;
  }

  static constexpr work counted() {
    work w = study_work();
    w.bytes_dram = sizeof(double) * 35;
    return w;
  }

 private:
  opencl_shape fastest() const {
    return fastest_group(device_, "angiogenesis/opencl_study",
                         [this](const opencl_shape& shape) { return seconds_in(shape); });
  }

  // The shortest time of a study of a few nodes and steps.
  double seconds_in(const opencl_shape& shape) const {
    constexpr int nodes = 20, steps = 10, tries = 3;
    opencl_study probe(device_);
    probe.shape_ = shape;
    probe.load(spread_study(device_.on_host ? 256 : 10'000, nodes, steps));
    return shortest_seconds(probe.clock(), tries, [&] { probe.run(); });
  }

  device device_;
  opencl_context context_;
  std::optional<opencl_program> program_;
  opencl_stopwatch clock_;
  study study_;
  opencl_buffer<double> coefficients_, u0_, table_, even_, odd_;
  opencl_buffer<int> steps_done_;
  opencl_kernel prepare_, march_;
};

REPRISE_VARIANT(study_runner, opencl_study,
                {.summary = "a study of parameters in OpenCL, a work-item for each member",
                 .place = "section 6",
                 .precisions = {precision::double_},
                 .per_unit = opencl_study::counted()});

}  // namespace
}  // namespace reprise::angiogenesis
