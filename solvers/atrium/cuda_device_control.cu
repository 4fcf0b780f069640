// SPDX-License-Identifier: MIT
// One kernel per stage, with all decisions on the device.
// Place: beyond the paper, which waits for the maximum on the host after every attempt.
// Formula: section 3 on (8), gates by (11), Algorithm 3.
//
// The last kernel of an attempt also finds the error. Its last block to end decides: it accepts or rejects,
// chooses the next step, and samples the recorded cells. The host queues attempts and checks now and then
// whether the end is reached; attempts queued beyond it do nothing. A rejected step needs no repair, because
// the state is unchanged and the candidate is overwritten.
//
// This is the general case of adaptive steps: any number of cells, both precisions and both rules for gates. Where
// cuda_tuned has room it takes a third of the time. Steps of one length need no decision and are faster in
// cuda_stages; here they serve the checks.
//
// Why a queue: a step of Bogacki-Shampine on 40,962 cells is four kernels of a few microseconds, each of
// which starts while the preceding one drains. Waiting for the host costs more than one of them. A grid
// barrier in a persistent kernel would cost as much as starting a kernel, and would limit the size of a
// sphere to what is resident. A graph would save the host's time for queueing, which is hidden already.
#include <algorithm>
#include <cmath>

#include "solvers/atrium/cuda_steps.hpp"

namespace reprise::atrium {
namespace {

constexpr unsigned threads = 64;  // small blocks spread 40,962 cells evenly over a hundred multiprocessors
constexpr unsigned warp = 32;

// The state of the run on the device.
struct run_data {
  progress state;
  int current;  // index of the state that holds the cells
  unsigned active;
  int stimuli;
  double starts[most_stimuli];
  double lengths[most_stimuli];
  // Results of the attempt under way.
  unsigned long long error_bits;
  unsigned bad_cell;
  unsigned blocks_done;
};
constexpr unsigned none_bad = ~0U;

// active_stimuli() for plain data.
__device__ unsigned active_at(const run_data& r, double t) {
  constexpr double slack = 1e-9;
  unsigned active = 0;
  for (int s = 0; s < r.stimuli; ++s) {
    const double since = t + slack - r.starts[s];
    if (since >= 0 && since < r.lengths[s]) active |= 1U << static_cast<unsigned>(s);
  }
  return active;
}

__device__ void prepare_attempt(run_data& r) {
  r.active = active_at(r, r.state.t + r.state.h / 2);
  r.error_bits = 0;
  r.bad_cell = none_bad;
  r.blocks_done = 0;
}

__global__ void begin_interval(run_data* r, double t_end) {
  start_interval(r->state, t_end);
  prepare_attempt(*r);
}

// Addresses of all states and arguments that a queued step may use.
template <class Real>
struct buffers {
  Real* state[2];
  Real* argument[most_stages];  // of stages 1, 2 ...
};

// Reads back those gates of the result that neither this stage has stored nor its argument contains.
template <gate_rule rule, class Real>
__device__ bool is_bad_result(const sphere<Real>& s, const stage_data<Real>& d, const places<Real>& p,
                              bool is_stage_good, int k) {
  if (!is_stage_good) return true;
  if (rule == gate_rule::plain || d.followed > 0) return false;
  return is_bad_at(s, p.result, k);
}

// Called by the last block of an attempt to end.
template <class Real>
__device__ void decide(run_data* r, const buffers<Real>& b, const sample_data<Real>& samples) {
  REPRISE_SHARED_ARRAY(int, accepted, [1]);
  if (threadIdx.x == 0) {
    const unsigned bad = __ldcg(&r->bad_cell);
    const outcome found{error_of(__ldcg(&r->error_bits)), bad == none_bad ? -1 : static_cast<int>(bad)};
    accepted[0] = finish_attempt(r->state, found) ? 1 : 0;
    if (accepted[0] != 0) r->current = 1 - r->current;
    prepare_attempt(*r);
  }
  __syncthreads();
  if (accepted[0] != 0)
    sample(samples, r->current == 0 ? b.state[0] : b.state[1], r->state.accepted, r->state.t);
}

// Ends an attempt. Must be called by every thread of every block. Returns whether the block is the last one.
__device__ bool report(run_data* r, double error, unsigned bad_cell) {
  REPRISE_SHARED_ARRAY(unsigned long long, of_warp, [threads / warp]);
  REPRISE_SHARED_ARRAY(unsigned, is_last, [1]);
  if (bad_cell != none_bad) atomicMin(&r->bad_cell, bad_cell);
  const unsigned long long bits = largest_of_warp(error_bits(error));
  if (threadIdx.x % warp == 0) of_warp[threadIdx.x / warp] = bits;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned long long largest = of_warp[0];
    for (unsigned w = 1; w < threads / warp; ++w) largest = of_warp[w] > largest ? of_warp[w] : largest;
    // Most blocks find a larger error stored already.
    if (largest > __ldcg(&r->error_bits)) atomicMax(&r->error_bits, largest);
    __threadfence();
    is_last[0] = atomicAdd(&r->blocks_done, 1U) + 1 == gridDim.x ? 1 : 0;
    __threadfence();
  }
  __syncthreads();
  return is_last[0] != 0;
}

template <gate_rule rule, class Real>
__global__ void __launch_bounds__(threads) advance_stage(sphere<Real> s, stage_data<Real> d, buffers<Real> b,
                                                         sample_data<Real> samples, run_data* r) {
  const auto k = static_cast<int>(blockIdx.x * threads + threadIdx.x);
  cuda::wait_for_preceding();
  cuda::let_following_start();
  if (r->state.state != ending::running) return;
  const int current = r->current;
  const bool is_last = d.stage + 1 == d.stages;
  Real* const state = current == 0 ? b.state[0] : b.state[1];
  Real* const result = current == 0 ? b.state[1] : b.state[0];
  const places<Real> p{state, d.stage == 0 ? state : b.argument[d.stage],
                       is_last ? result : b.argument[d.stage + 1 < d.stages ? d.stage + 1 : 0], result};
  const step_size<Real> step{r->state.h, r->active};
  bool is_good = true;
  if (k < s.cells) is_good = evaluate<rule>(s, d, p, step, k);
  if (!is_last) return;
  double error = 0;
  unsigned bad_cell = none_bad;
  if (k < s.cells) {
    if (d.is_judged) error = error_at<rule>(s, d, state, step.h, k);
    if (is_bad_result<rule>(s, d, p, is_good, k)) bad_cell = static_cast<unsigned>(k);
  }
  if (report(r, error, bad_cell)) decide(r, b, samples);
}

template <class Real>
class typed final : public run_on_gpu<solver, Real> {
  using run = run_on_gpu<solver, Real>;

 public:
  explicit typed(const device& d) { cuda::use_device(d); }

  void load(const problem& p, precision) override {
    problem_ = p;
    sphere_.load(p);
    run_ = cuda::buffer<run_data>(1);
    reset(control{});
  }

  void reset(const control& c) override {
    run::start(c);
    run_data r{};
    r.state = state_;
    r.stimuli = static_cast<int>(problem_.protocol.stimuli.size());
    for (std::size_t s = 0; s < problem_.protocol.stimuli.size(); ++s) {
      r.starts[s] = problem_.protocol.stimuli[s].start;
      r.lengths[s] = problem_.protocol.stimuli[s].length;
    }
    run_.upload(&r, 1);
    run::take_sample();
  }

  progress advance(double t_end) override {
    cuda::launch(begin_interval, 1, 1, 0, nullptr, run_.data(), t_end);
    start_interval(state_, t_end);
    while (state_.state == ending::running) {
      for (long long a = attempts_to_queue(); a > 0; --a) queue_attempt();
      run_data now{};
      run_.download(&now, 1);
      state_ = now.state;
      current_ = now.current;
      if (samples_.room(state_.accepted) < least_room) samples_.flush(state_.accepted);
    }
    return state_;
  }

  stopwatch& clock() override { return clock_; }

 private:
  using run::problem_, run::method_, run::sphere_, run::samples_, run::current_, run::state_;

  static constexpr long long least_room = 256;

  unsigned blocks() const { return (static_cast<unsigned>(problem_.cells()) + threads - 1) / threads; }

  // The accesses of report() by a block's warps: errors written and read, the flag written and read.
  double shared_bytes_of_attempt() const override {
    constexpr unsigned warps = threads / warp;
    return (3. * warps + 1) * shared_transfer_bytes * blocks();
  }

  // Estimates how many attempts the interval still needs, with a tenth more for rejected ones. Attempts
  // queued beyond the end waste time, and so does checking too early.
  long long attempts_to_queue() const {
    const double length = state_.control.is_adaptive ? state_.wanted : state_.control.dt;
    const double share = state_.control.is_adaptive ? 1.1 : 1;
    const double wanted = std::ceil(share * (state_.t_end - state_.t) / length - 1e-6);
    const auto most = static_cast<double>(std::min<long long>(least_room, samples_.room(state_.accepted)));
    return static_cast<long long>(std::clamp(wanted, 1., std::max(1., most)));
  }

  void queue_attempt() {
    return state_.control.gates == gate_rule::plain ? queue_stages<gate_rule::plain>()
                                                    : queue_stages<gate_rule::rush_larsen>();
  }

  template <gate_rule rule>
  void queue_stages() {
    buffers<Real> b{{sphere_.state_at(0), sphere_.state_at(1)}, {}};
    for (std::size_t i = 1; i < method_.stages; ++i) b.argument[i] = sphere_.argument(i);
    for (std::size_t i = 0; i < method_.stages; ++i)
      cuda::start(cuda::scheduling::overlapped, advance_stage<rule, Real>, blocks(), threads, 0, nullptr,
                  sphere_.view(), sphere_.stage(method_, state_.control, i), b, samples_.view(), run_.data());
  }

  cuda::buffer<run_data> run_;
  cuda::event_stopwatch clock_;
};

using cuda_device_control = in_either_precision<typed<float>, typed<double>>;

REPRISE_VARIANT(solver, cuda_device_control,
                {.summary = "a kernel a stage, the device decides every step",
                 .place = "beyond the paper",
                 .precisions = {precision::single, precision::double_},
                 .per_unit = counted(data_of(scheme::euler), gate_rule::rush_larsen, sizeof(float))});

}  // namespace
}  // namespace reprise::atrium
