// SPDX-License-Identifier: MIT
// One kernel per stage, one for the errors of the cells, and one for their maximum, which
// the host reads back to decide.
// Place: sections 4.2 to 4.4, layout (18), Algorithms 5 and 6. (There gates and slopes are separate kernels
// too; modern compilers keep both in registers.)
// Formula: section 3 on (8), gates by (11).
//
// With fixed steps that need no error nothing waits: the device remembers the first bad cell and stops there,
// and the host checks every few steps.
#include <algorithm>
#include <vector>

#include "solvers/atrium/cuda_steps.hpp"

namespace reprise::atrium {
namespace {

constexpr unsigned threads = 128;

// Results of an attempt: the bits of e, and attempt << 32 | cell for the first bad cell.
constexpr unsigned long long none_bad = ~0ULL;
struct verdict {
  unsigned long long error_bits;
  unsigned long long bad;

  int bad_cell() const { return bad == none_bad ? -1 : static_cast<int>(bad & 0xffffffffU); }
  long long bad_attempt() const { return static_cast<long long>(bad >> 32U); }
};

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
class typed final : public steps_on_gpu<solver, Real, verdict> {
  using steps = steps_on_gpu<solver, Real, verdict>;

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
    const verdict nothing{0, none_bad};
    found_.upload(&nothing, 1);
    steps::start(c);
    sample_now();
  }

  stopwatch& clock() override { return clock_; }

  std::vector<kernel_probe> kernels() override {
    if (!is_judged()) return {};
    return {{"stages", [this] { evaluate_stages(); }},
            {"errors", [this] { judge_cells(); }},
            {"reduction", [this] { reduce(); }}};
  }

 private:
  using steps::is_judged, steps::is_plain, steps::attempts, steps::places_of;
  using steps::problem_, steps::method_, steps::sphere_, steps::state_;

  unsigned blocks() const { return (static_cast<unsigned>(problem_.cells()) + threads - 1) / threads; }
  unsigned reducing_blocks() const {
    constexpr unsigned most = 128;
    return std::min(blocks(), most);
  }

  // The warps of a block write a transfer each, and one thread reads what they wrote.
  double shared_bytes_of_attempt() const override {
    constexpr double accesses = 2. * threads / 32 - 1;
    return is_judged() ? accesses * shared_transfer_bytes * reducing_blocks() : 0;
  }

  void sample_now() override { steps::take_sample(); }

  outcome attempt() override {
    evaluate_stages();
    if (!is_judged()) return {};
    judge_cells();
    reduce();
    return steps::found();
  }

  void evaluate_stages() {
    is_plain() ? evaluate_stages_by<gate_rule::plain>() : evaluate_stages_by<gate_rule::rush_larsen>();
  }
  void judge_cells() { is_plain() ? judge_by<gate_rule::plain>() : judge_by<gate_rule::rush_larsen>(); }

  template <gate_rule rule>
  void evaluate_stages_by() {
    const step_size<Real> step{state_.h, active_stimuli(problem_.protocol, state_.t + state_.h / 2)};
    for (std::size_t i = 0; i < method_.stages; ++i)
      cuda::launch(evaluate_stage<rule, Real>, blocks(), threads, 0, nullptr, sphere_.view(),
                   sphere_.stage(method_, state_.control, i), places_of(i), step, attempts(), found_.data());
  }

  template <gate_rule rule>
  void judge_by() {
    const std::size_t last = method_.stages - 1;
    cuda::launch(find_errors<rule, Real>, blocks(), threads, 0, nullptr, sphere_.view(),
                 sphere_.stage(method_, state_.control, last), places_of(last), state_.h, attempts(),
                 found_.data(), errors_.data());
  }

  void reduce() {
    cuda::launch(reduce_errors, reducing_blocks(), threads, 0, nullptr, errors_.data(), sphere_.view().cells,
                 found_.data());
  }

  verdict look() override {
    verdict v{};
    found_.download(&v, 1);
    return v;
  }

  cuda::buffer<double> errors_;
  cuda::buffer<verdict> found_;
  cuda::event_stopwatch clock_;
};

using cuda_stages = in_either_precision<typed<float>, typed<double>>;

REPRISE_VARIANT(solver, cuda_stages,
                {.summary = "a kernel a stage, errors, their maximum; the host decides",
                 .place = "sections 4.2 to 4.4",
                 .precisions = {precision::single, precision::double_},
                 .per_unit = counted(data_of(scheme::euler), gate_rule::rush_larsen, sizeof(float))});

}  // namespace
}  // namespace reprise::atrium
