// SPDX-License-Identifier: MIT
// The paper's kernels in OpenCL, for GPUs and processors of every vendor: one per stage, one for the errors of
// the cells, and one for their maximum, which the host reads back to decide.
// Place: sections 4.2 to 4.4, layout (18), Algorithms 5 and 6.
// Formula: section 3 on (8), gates by (11).
// Where we differ: a work-item computes a vector of cells where that is faster, as on processors. With fixed steps
// that need no error nothing waits: the device remembers the first bad cell and stops there, and the host checks
// every few steps.
#include <array>
#include <limits>
#include <vector>

#include "solvers/atrium/cells.cl.hpp"
#include "solvers/atrium/host_decisions.hpp"
#include "solvers/atrium/opencl_run.hpp"
#include "solvers/atrium/opencl_stages.cl.hpp"

namespace reprise::atrium {
namespace {

constexpr cl_uint no_cell = std::numeric_limits<cl_uint>::max();
constexpr unsigned cell_bits = 26;

struct verdict {
  cl_uint bad;
  long long first_attempt;

  int bad_cell() const { return bad == no_cell ? -1 : static_cast<int>(bad & ((1U << cell_bits) - 1)); }
  long long bad_attempt() const { return first_attempt + (bad >> cell_bits); }
};

template <class Real>
class typed final : public decided_by_host<opencl_run<Real>, verdict> {
  using run = opencl_run<Real>;
  using steps = decided_by_host<run, verdict>;

 public:
  explicit typed(const device& d) : steps(d, std::string(cells_cl) + std::string(opencl_stages_cl)) {}

  std::vector<kernel_probe> kernels() override {
    if (!this->is_judged()) return {};
    return {{"stages", [this] { evaluate_stages(); }},
            {"errors", [this] { judge_cells(); }},
            {"reduction", [this] { reduce(); }}};
  }

 private:
  using steps::is_judged, steps::method_, steps::state_;

  void forget_problem() override {
    arguments_.clear();
    slopes_ = {};
  }

  void prepare(const opencl_program& program) override {
    stage_ = opencl_kernel(program, "evaluate_stage");
    errors_kernel_ = opencl_kernel(program, "find_errors");
    reduction_ = opencl_kernel(program, "reduce_errors");
    const std::size_t length = variables * this->sphere_.stride();
    while (arguments_.size() + 1 < method_.stages) arguments_.emplace_back(this->context_, length);
    const std::size_t slopes = is_single_stage() ? 1 : method_.stages * controlled() * this->sphere_.stride();
    if (slopes_.size() < slopes) {
      slopes_ = {};
      slopes_ = opencl_buffer<Real>(this->context_, slopes);
    }
    errors_ = opencl_buffer<Real>(this->context_, groups() + 1);
    bad_ = opencl_buffer<cl_uint>(this->context_, std::max(groups(), steps::steps_ahead) + 1);
    forget_bad_cells();
  }

  std::unique_ptr<run> in_shape(const opencl_shape& shape) const override {
    auto made = std::make_unique<typed>(this->on());
    made->give_shape(shape);
    return made;
  }
  std::string_view name() const override {
    return sizeof(Real) == sizeof(double) ? "atrium/opencl_stages double" : "atrium/opencl_stages single";
  }

  void sample_now() override { this->take_sample(); }

  outcome attempt() override {
    evaluate_stages();
    this->context_.flush();
    if (!is_judged()) return {};
    judge_cells();
    reduce();
    const cl_uint bad = bad_.read(groups(), 1)[0];
    return {static_cast<double>(errors_.read(groups(), 1)[0]), bad == no_cell ? -1 : static_cast<int>(bad)};
  }

  verdict look() override {
    const verdict found{bad_.read(attempt_, 1)[0], this->attempts() - static_cast<long long>(attempt_)};
    forget_bad_cells();
    return found;
  }

  void forget_bad_cells() {
    bad_.fill(no_cell);
    attempt_ = 0;
  }

  bool is_single_stage() const { return method_.stages == 1; }
  std::size_t controlled() const { return this->is_plain() ? variables : 1 + concentrations; }
  std::size_t group() const { return stage_.group_at_most(this->shape_.items); }
  std::size_t error_group() const { return errors_kernel_.group_at_most(this->shape_.items); }
  std::size_t groups() const { return (this->items() + error_group() - 1) / error_group(); }
  int cells() const { return static_cast<int>(this->sphere_.cells()); }
  int stride() const { return static_cast<int>(this->sphere_.stride()); }

  // The argument of stage i; that of the first one is the state, and the result follows the last one.
  const opencl_buffer<Real>& argument(std::size_t i) const {
    return i == 0 ? this->now() : i == method_.stages ? this->next() : arguments_[i - 1];
  }

  static eight_numbers<Real> times_step(const std::array<double, most_stages>& weights, double h) {
    eight_numbers<Real> scaled{};
    for (std::size_t n = 0; n < most_stages; ++n) scaled[n] = static_cast<Real>(h * weights[n]);
    return scaled;
  }

  // The arguments and the result whose gates start from a stage, and after what time.
  struct followers {
    std::array<const opencl_buffer<Real>*, 3> onto;
    std::array<Real, 3> over{};
    int count{};
    bool restart{};
  };

  followers following(std::size_t i) const {
    followers all{{&this->next(), &this->next(), &this->next()}};
    if (this->is_plain()) return all;
    for (std::size_t later = i + 1; later <= method_.stages; ++later) {
      if (method_.gates_from[later] != i) continue;
      const auto n = static_cast<std::size_t>(all.count++);
      all.onto.at(n) = &argument(later);
      all.over.at(n) = static_cast<Real>(method_.gates_over[later] * state_.h);
      all.restart = later == method_.stages && method_.restarts_gates;
    }
    return all;
  }

  void evaluate_stages() {
    const unsigned active = active_stimuli(this->problem_.protocol, state_.t + state_.h / 2);
    for (std::size_t i = 0; i < method_.stages; ++i) evaluate_stage(i, active);
    if (!is_judged()) ++attempt_;
  }

  void evaluate_stage(std::size_t i, unsigned active) {
    const auto& s = this->sphere_;
    const bool is_last = i + 1 == method_.stages;
    const followers to = following(i);
    stage_.set(cells(), stride(), s.constants().acetylcholine, s.constants().acetylcholine_potassium,
               s.strengths(), s.weight(), s.neighbours(), s.stimulated(), active, static_cast<int>(i),
               int{is_last}, int{!is_last || is_judged()},
               times_step(is_last ? method_.b : method_.a[i + 1], state_.h), slopes_, this->now(),
               argument(i), argument(i + 1), to.count, int{to.restart}, to.over[0], to.over[1], to.over[2],
               *to.onto[0], *to.onto[1], *to.onto[2], int{is_judged()}, static_cast<cl_uint>(attempt_), bad_);
    stage_.run(this->items(), group());
  }

  void judge_cells() {
    errors_kernel_.set(cells(), stride(), static_cast<int>(method_.stages),
                       times_step(method_.error, state_.h), static_cast<Real>(state_.control.at),
                       static_cast<Real>(state_.control.rt), slopes_, this->now(), this->next(), errors_,
                       bad_, opencl_local{error_group() * sizeof(Real)},
                       opencl_local{error_group() * sizeof(cl_uint)});
    errors_kernel_.run(this->items(), error_group());
  }

  void reduce() {
    const std::size_t items = reduction_.group_at_most(64);
    reduction_.set(static_cast<int>(groups()), errors_, bad_, opencl_local{items * sizeof(Real)},
                   opencl_local{items * sizeof(cl_uint)});
    reduction_.run(items, items);
  }

  std::vector<opencl_buffer<Real>> arguments_;  // of the stages 1, 2 ...
  opencl_buffer<Real> slopes_;
  opencl_buffer<Real> errors_;  // of groups, then of all
  opencl_buffer<cl_uint> bad_;  // the first bad cell, of groups and of all, or of steps without an error
  std::size_t attempt_{};       // steps without an error since the host last looked
  opencl_kernel stage_, errors_kernel_, reduction_;
};

using opencl_stages = in_either_precision<typed<float>, typed<double>>;

REPRISE_VARIANT(solver, opencl_stages,
                {.summary = "OpenCL, a kernel a stage, errors, their maximum; the host decides",
                 .place = "sections 4.2 to 4.4, in OpenCL",
                 .precisions = {precision::single, precision::double_},
                 .per_unit = counted_in_opencl(data_of(scheme::euler), gate_rule::rush_larsen,
                                               sizeof(float))});

}  // namespace
}  // namespace reprise::atrium
