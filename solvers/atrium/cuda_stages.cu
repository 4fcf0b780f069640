// SPDX-License-Identifier: MIT
// One kernel a stage, one for the errors of the cells, one for the largest of them, which the host reads back
// to decide. A step of fixed length that needs no error waits for nothing: the device remembers the first bad
// cell and stops there, the host looks every few steps.
// Place: section 4.2 to 4.4, layout (18), Algorithms 5 and 6. (There gates and slopes are separate kernels
// too; today's compilers keep both in registers.)
// Formula: section 3 on (8), gates by (11).
#include <bit>
#include <vector>

#include "solvers/atrium/cuda_cells.hpp"
#include "solvers/atrium/cuda_samples.hpp"

namespace reprise::atrium {
namespace {

constexpr unsigned threads = 128;

// What an attempt has found: bits of e, and attempt << 32 | cell of the first bad cell.
struct verdict {
  unsigned long long error_bits;
  unsigned long long bad;
};
constexpr unsigned long long none_bad = ~0ULL;

__device__ void report_bad(verdict* found, long long attempt, int k) {
  atomicMin(&found->bad, static_cast<unsigned long long>(attempt) << 32U | static_cast<unsigned>(k));
}

template <gate_rule rule, class Real>
__global__ void __launch_bounds__(threads)
    evaluate_stage(sphere<Real> s, stage_data<Real> d, places<Real> p, step_size<Real> step,
                   long long attempt, verdict* found) {
  const auto k = static_cast<int>(blockIdx.x * threads + threadIdx.x);
  if (d.is_judged) {
    if (k == 0 && d.stage == 0) *found = {0, none_bad};
  } else if (static_cast<long long>(__ldcg(&found->bad) >> 32U) < attempt) {
    return;
  }
  if (k >= s.cells) return;
  const bool is_good = evaluate<rule>(s, d, p, step, k);
  if (!d.is_judged && d.stage + 1 == d.stages && !is_good) report_bad(found, attempt, k);
}

template <gate_rule rule, class Real>
__global__ void __launch_bounds__(threads)
    find_errors(sphere<Real> s, stage_data<Real> d, places<Real> p, double h, long long attempt,
                verdict* found, double* errors) {
  const auto k = static_cast<int>(blockIdx.x * threads + threadIdx.x);
  if (k >= s.cells) return;
  errors[k] = error_at<rule>(s, d, p.state, h, k);
  if (is_bad_at(s, p.result, k)) report_bad(found, attempt, k);
}

__global__ void __launch_bounds__(threads) reduce_errors(const double* errors, int count, verdict* found) {
  constexpr unsigned warp = 32;
  REPRISE_SHARED_ARRAY(unsigned long long, of_warp, [threads / warp]);
  unsigned long long largest = 0;
  const auto stride = static_cast<int>(gridDim.x * threads);
  for (auto k = static_cast<int>(blockIdx.x * threads + threadIdx.x); k < count; k += stride) {
    const unsigned long long bits = error_bits(errors[k]);
    largest = bits > largest ? bits : largest;
  }
  largest = largest_of_warp(largest);
  if (threadIdx.x % warp == 0) of_warp[threadIdx.x / warp] = largest;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (unsigned w = 1; w < threads / warp; ++w) largest = of_warp[w] > largest ? of_warp[w] : largest;
  atomicMax(&found->error_bits, largest);
}

template <class Real>
__global__ void __launch_bounds__(threads)
    sample_cells(sample_data<Real> to, const Real* v, long long accepted, double t) {
  sample(to, v, accepted, t);
}

template <class Real>
class typed final : public solver {
 public:
  explicit typed(const device& d) { cuda::use_device(d); }

  void load(const problem& p, precision) override {
    problem_ = p;
    sphere_.load(p);
    errors_ = cuda::buffer<double>(p.cells());
    found_ = cuda::buffer<verdict>(1);
    reset(control{});
  }

  void reset(const control& c) override {
    method_ = data_of(c.method);
    sphere_.reset(problem_, method_, c.gates);
    current_ = 0;
    const verdict nothing{0, none_bad};
    found_.upload(&nothing, 1);
    state_ = at_start(problem_, c, static_cast<int>(method_.stages), method_.low_order);
    samples_.start(problem_, c, c.is_adaptive ? 0 : problem_.what.t_end / c.dt);
    take_sample();
  }

  progress advance(double t_end) override {
    start_interval(state_, t_end);
    while (state_.state == ending::running) {
      unseen_.push_back({state_, current_});
      if (finish_attempt(state_, attempt())) {
        current_ = 1 - current_;
        take_sample();
      }
      if (is_judged() || unseen_.size() == steps_ahead || state_.state != ending::running) look_back();
    }
    return state_;
  }

  std::vector<cell_state> state() override { return sphere_.state(current_); }
  recording recorded() override {
    samples_.flush(state_.accepted);
    return samples_.kept();
  }
  stopwatch& clock() override { return clock_; }
  work per_unit() const override { return counted(method_, state_.how.gates, sizeof(Real)); }

  std::vector<kernel_probe> kernels() override {
    if (!is_judged()) return {};
    return {{"stages", [this] { evaluate_stages(); }},
            {"errors", [this] { judge_cells(); }},
            {"reduction", [this] { reduce(); }}};
  }

 private:
  static constexpr std::size_t steps_ahead = 64;

  struct moment {
    progress state;
    int current;
  };

  bool is_judged() const { return method_.low_order > 0; }
  unsigned blocks() const { return (static_cast<unsigned>(problem_.cells()) + threads - 1) / threads; }
  long long attempts() const { return state_.accepted + state_.rejected; }

  bool is_plain() const { return state_.how.gates == gate_rule::plain; }

  outcome attempt() {
    evaluate_stages();
    if (!is_judged()) return {};
    judge_cells();
    reduce();
    return found();
  }

  void evaluate_stages() {
    is_plain() ? evaluate_stages_by<gate_rule::plain>() : evaluate_stages_by<gate_rule::rush_larsen>();
  }
  void judge_cells() { is_plain() ? judge_by<gate_rule::plain>() : judge_by<gate_rule::rush_larsen>(); }

  Real* result() { return sphere_.state_at(1 - current_); }

  // Where stage i reads and writes.
  places<Real> places_of(std::size_t i) {
    Real* const state = sphere_.state_at(current_);
    return {state, i == 0 ? state : sphere_.argument(i),
            i + 1 == method_.stages ? result() : sphere_.argument(i + 1), result()};
  }

  template <gate_rule rule>
  void evaluate_stages_by() {
    const step_size<Real> step{state_.h, active_stimuli(problem_.what, state_.t + state_.h / 2)};
    for (std::size_t i = 0; i < method_.stages; ++i)
      cuda::launch(evaluate_stage<rule, Real>, blocks(), threads, 0, nullptr, sphere_.view(),
                   sphere_.stage(method_, state_.how, i), places_of(i), step, attempts(), found_.data());
  }

  template <gate_rule rule>
  void judge_by() {
    const std::size_t last = method_.stages - 1;
    cuda::launch(find_errors<rule, Real>, blocks(), threads, 0, nullptr, sphere_.view(),
                 sphere_.stage(method_, state_.how, last), places_of(last), state_.h, attempts(),
                 found_.data(), errors_.data());
  }

  void reduce() {
    constexpr unsigned most_blocks = 128;
    cuda::launch(reduce_errors, std::min(blocks(), most_blocks), threads, 0, nullptr, errors_.data(),
                 sphere_.view().cells, found_.data());
  }

  outcome found() const {
    verdict v{};
    found_.download(&v, 1);
    return {std::bit_cast<double>(v.error_bits),
            v.bad == none_bad ? -1 : static_cast<int>(v.bad & 0xffffffffU)};
  }

  // Goes back to the first attempt that has a bad cell, if one has.
  void look_back() {
    if (!is_judged()) {
      verdict v{};
      found_.download(&v, 1);
      if (v.bad != none_bad) {
        const moment& first = unseen_.front();
        const auto ago = static_cast<long long>(v.bad >> 32U) - first.state.accepted - first.state.rejected;
        const moment& at = unseen_[static_cast<std::size_t>(ago)];
        state_ = at.state;
        current_ = at.current;
        finish_attempt(state_, {0, static_cast<int>(v.bad & 0xffffffffU)});
      }
    }
    unseen_.clear();
    if (samples_.room(state_.accepted) <= static_cast<long long>(steps_ahead))
      samples_.flush(state_.accepted);
  }

  void take_sample() {
    const control& c = state_.how;
    if (!samples_.is_on() || state_.accepted % c.record_every != 0) return;
    cuda::launch(sample_cells<Real>, 1, threads, 0, nullptr, samples_.view(), sphere_.state_at(current_),
                 state_.accepted, state_.t);
  }

  problem problem_;
  method_data method_{};
  device_cells<Real> sphere_;
  device_samples<Real> samples_;
  int current_{};  // which of the two states is the cells'
  cuda::buffer<double> errors_;
  cuda::buffer<verdict> found_;
  progress state_;
  std::vector<moment> unseen_;  // before the attempts since the last look
  cuda::event_stopwatch clock_;
};

using cuda_stages = in_either_precision<typed<float>, typed<double>>;

REPRISE_VARIANT(solver, cuda_stages,
                {.summary = "a kernel a stage, errors, their maximum; the host decides",
                 .place = "sections 4.2 to 4.4",
                 .precisions = {precision::single, precision::double_},
                 .per_unit = counted(data_of(scheme::euler), gate_rule::rush_larsen, sizeof(float)),
                 .repeats = determinism::bitwise});

}  // namespace
}  // namespace reprise::atrium
