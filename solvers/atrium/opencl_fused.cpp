// SPDX-License-Identifier: MIT
// Whole steps of Euler in OpenCL, one or several in a launch, for GPUs and processors of every vendor.
// Place: beyond section 4.2, whose steps of Euler are a launch each, with all variables through memory.
// Formula: section 3 on (8) with one stage, gates by (11) or like all other variables.
//
// Work-groups do not wait for each other. Each has a patch of neighbouring cells and a margin of as many rings as a
// launch makes steps; one ring becomes stale in each step, and is not computed again. Voltages are in local memory, all
// other variables stay with the work-items. So a launch reads and writes the state once in several steps, at the cost of
// the cells that neighbouring patches compute twice. How many steps that is worth is chosen for the device by a short
// search, together with vectors and groups.
// The host sees bad cells every few steps. A launch in which one was found is repeated up to the step before.
#include <array>
#include <limits>
#include <vector>

#include "solvers/atrium/cells.cl.hpp"
#include "solvers/atrium/opencl_fused.cl.hpp"
#include "solvers/atrium/opencl_patches.hpp"
#include "solvers/atrium/opencl_run.hpp"

namespace reprise::atrium {
namespace {

constexpr cl_uint no_cell = std::numeric_limits<cl_uint>::max();
constexpr unsigned cell_bits = 26;
constexpr std::size_t steps_ahead = 63;  // of the host; an attempt's number has six bits
constexpr std::size_t fewest_places = 64;
constexpr std::size_t most_places = 1024;  // keeps two voltages of each in 32 KiB of local memory

template <class Real>
class typed final : public opencl_run<Real> {
  using run = opencl_run<Real>;

 public:
  explicit typed(const device& d) : run(d, std::string(cells_cl)) {}

  progress advance(double t_end) override {
    start_interval(state_, t_end);
    while (state_.state == ending::running) {
      unseen_.push_back(state_);
      const unsigned active = active_stimuli(this->problem_.protocol, state_.t + state_.h / 2);
      const double h = state_.h;
      finish_attempt(state_, {});
      batch_.add(h, active, this->samples_.row_of(state_.accepted, state_.t));
      const bool is_over = state_.state != ending::running;
      if (batch_.steps == this->shape_.steps || unseen_.size() == steps_ahead || is_over) launch();
      if (unseen_.size() == steps_ahead || is_over) look_back();
    }
    return state_;
  }

  work per_unit() const override {
    const double once = (2 * variables + slots) * sizeof(Real) + 4. * slots;
    work w =
        evaluation(slopes_of(this->method_, state_.control.gates), sizeof(Real), once / this->shape_.steps);
    w.functions = functions_of(this->method_, state_.control.gates);
    // A cell's voltage in and out, and its neighbours'. Those of margins come on top, as many as the mesh needs.
    w.bytes_shared = (2. + slots) * sizeof(Real);
    return w;
  }

 private:
  using run::state_;

  // Steps that a launch makes.
  struct batch {
    int steps{};
    eight_numbers<Real> h{};
    std::array<cl_uint, 8> active{};
    std::array<cl_int, 8> rows{};

    void add(double length, unsigned stimuli, int row) {
      const auto n = static_cast<std::size_t>(steps++);
      h.at(n) = static_cast<Real>(length);
      active.at(n) = stimuli;
      rows.at(n) = row;
    }
  };
  // One that the host has not seen the outcome of.
  struct launched {
    batch made;
    std::size_t first;  // attempt
    int from;           // index of the state that it started from
  };

  void forget_problem() override { patches_ = {}; }

  void prepare(const opencl_program&) override {
    if (this->method_.stages != 1)
      throw unavailable(
          "makes whole steps of Euler only, because each stage needs another ring: use opencl_stages");
    make_kernel();
    bad_ = opencl_buffer<cl_uint>(this->context_, steps_ahead + 2);
    forget_launches();
    batch_ = {};
  }

  // The compiler may allow smaller groups only than the device does.
  void make_kernel() {
    for (;;) {
      const std::size_t places = this->shape_.items * static_cast<std::size_t>(this->shape_.lanes);
      const std::size_t room = std::clamp(places, fewest_places, most_places);
      patches_.load(this->context_, this->problem_, static_cast<int>(room), this->shape_.steps);
      const opencl_program program(this->context_, std::string(cells_cl) + std::string(opencl_fused_cl),
                                   options());
      kernel_ = opencl_kernel(program, "make_steps");
      const std::size_t allowed = kernel_.group_at_most(this->shape_.items);
      if (allowed == this->shape_.items) return;
      this->shape_.items = allowed;
    }
  }

  std::string options() const {
    const auto option = [](const char* name, auto value) {
      return std::string(" -D ") + name + "=" + std::to_string(value);
    };
    return opencl_options<Real>(state_.control.gates, this->shape_.lanes) + " -D KEEPS_GATES" +
           option("GROUP", this->shape_.items) + option("CAPACITY", patches_.capacity()) +
           option("COMPUTED", patches_.computed()) + option("RINGS", this->shape_.steps);
  }

  std::unique_ptr<run> in_shape(const opencl_shape& shape) const override {
    auto made = std::make_unique<typed>(this->on());
    made->give_shape(shape);
    return made;
  }
  std::string_view name() const override {
    return sizeof(Real) == sizeof(double) ? "atrium/opencl_fused double" : "atrium/opencl_fused single";
  }
  std::vector<int> steps_of_launch() const override { return {1, 2, 4}; }

  void launch() {
    const std::size_t first = unseen_.size() - static_cast<std::size_t>(batch_.steps);
    launches_.push_back({batch_, first, this->current_});
    run_kernel(batch_, first, launches_.size() - 1);
    batch_ = {};
  }

  void run_kernel(const batch& b, std::size_t first, std::size_t word) {
    const auto& s = this->sphere_;
    kernel_.set(static_cast<int>(s.stride()), s.constants().acetylcholine,
                s.constants().acetylcholine_potassium, s.strengths(), patches_.cells(), patches_.within(),
                patches_.neighbours(), patches_.weight(), patches_.stimulated(), b.steps, b.h, b.active,
                this->now(), this->next(), static_cast<cl_uint>(first), static_cast<int>(word), bad_, b.rows,
                this->samples_.columns(), patches_.recorded_first(), patches_.recorded(),
                this->samples_.values());
    kernel_.run(patches_.count() * this->shape_.items, this->shape_.items);
    this->context_.flush();
    this->current_ = 1 - this->current_;
  }

  // Returns to the first attempt with a bad cell, if there is one.
  void look_back() {
    const cl_uint bad = bad_.read(launches_.size(), 1)[0];
    if (bad != no_cell) {
      const std::size_t attempt = bad >> cell_bits;
      const launched* blamed = &launches_.front();
      for (const launched& l : launches_)
        if (l.first <= attempt) blamed = &l;
      batch good = blamed->made;
      good.steps = static_cast<int>(attempt - blamed->first);
      good.rows.fill(-1);  // already taken
      this->current_ = blamed->from;
      bad_.fill(no_cell);
      if (good.steps > 0) run_kernel(good, 0, 0);
      state_ = unseen_[attempt];
      finish_attempt(state_, {0, static_cast<int>(bad & ((1U << cell_bits) - 1))});
    }
    forget_launches();
    if (this->samples_.room(state_.accepted) <= static_cast<long long>(steps_ahead))
      this->samples_.flush(state_.accepted);
  }

  void forget_launches() {
    unseen_.clear();
    launches_.clear();
    bad_.fill(no_cell);
  }

  opencl_patches<Real> patches_;
  opencl_kernel kernel_;
  opencl_buffer<cl_uint> bad_;  // what launches before the n-th have found
  batch batch_;
  std::vector<progress> unseen_;  // states before the attempts since the last look
  std::vector<launched> launches_;
};

using opencl_fused = in_either_precision<typed<float>, typed<double>>;

REPRISE_VARIANT(solver, opencl_fused,
                {.summary = "OpenCL, whole steps of Euler of patches with margins in one launch",
                 .place = "beyond section 4.2",
                 .precisions = {precision::single, precision::double_},
                 .per_unit = counted_in_opencl(data_of(scheme::euler), gate_rule::rush_larsen,
                                               sizeof(float))});

}  // namespace
}  // namespace reprise::atrium
