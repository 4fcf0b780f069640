// SPDX-License-Identifier: MIT
// The sphere in parts on several GPUs, one part per rank.
// Place: beyond the paper; on each GPU sections 4.2 to 4.4, layout (18), Algorithms 5 and 6.
// Formula: section 3 on (8), gates by (11).
//
// Steps of Euler with Rush-Larsen in single precision take functions of the voltage from a table, as cuda_streamed does;
// a GPU that shares a large sphere with others is limited by its memory too.
//
// Each stage has a kernel for the interior of a part. At the same time an urgent stream does what the border
// needs: it packs the border's voltages, exchanges them with the neighbours, and runs a kernel for the
// border. While the interior is computed nothing waits for the exchange. The last stage of an embedded pair
// finds the error, all ranks take the maximum, and the hosts take the same decision.
//
//   usual stream    | interior 1      | interior 2      |       interior n waits for border n - 1,
//   urgent stream   | send 1 | border 1 | send 2 | border 2     border n for interior n - 1
//
// With fixed steps that need no error, a rank waits only for its neighbours. All ranks look for bad cells
// together every few steps. If one is found, other ranks may have gone on: all return to the states of the last look,
// and repeat the steps up to the bad one.
#include <algorithm>
#include <vector>

#include "solvers/atrium/cuda_steps.hpp"
#include "solvers/atrium/parts_solver.hpp"
#include "solvers/atrium/streamed_step.hpp"
#include "solvers/common/cuda/exchange.hpp"

namespace reprise::atrium {
namespace {

constexpr unsigned threads = 128;
static_assert(threads == streamed_threads);

// Results of an attempt, as numbers that are reduced to their maximum over all ranks: the bits of e, and the
// complement of attempt << 32 | cell for the first bad cell, or 0 if there is none.
struct verdict {
  unsigned long long error_bits;
  unsigned long long none_before;

  int bad_cell() const { return none_before == 0 ? -1 : static_cast<int>(~none_before & 0xffffffffU); }
  long long bad_attempt() const { return static_cast<long long>(~none_before >> 32U); }
};

struct cell_range {
  int first, end;
  const int* number;  // of each cell on the whole sphere
};

__device__ void report_bad(verdict* found, long long attempt, int number) {
  atomicMax(&found->none_before,
            ~(static_cast<unsigned long long>(attempt) << 32U | static_cast<unsigned>(number)));
}

// Called by whole warps. Skips the atomic operation unless the error exceeds the stored one, which is rare.
__device__ void report_error(verdict* found, double error) {
  constexpr unsigned warp = 32;
  const unsigned long long largest = largest_of_warp(error_bits(error));
  if (threadIdx.x % warp == 0 && largest > __ldcg(&found->error_bits)) atomicMax(&found->error_bits, largest);
}

template <gate_rule rule, class Real>
__global__ void __launch_bounds__(threads)
    evaluate_cells(sphere<Real> s, stage_data<Real> d, places<Real> p, step_size<Real> step, cell_range cells,
                   long long attempt, verdict* found) {
  const auto k = cells.first + static_cast<int>(blockIdx.x * threads + threadIdx.x);
  const bool is_last = d.stage + 1 == d.stages;
  if (d.is_judged) {
    if (d.stage == 0 && k == cells.first) *found = {0, 0};
  } else if (static_cast<long long>(~__ldcg(&found->none_before) >> 32U) < attempt) {
    return;
  }
  double error = 0;
  if (k < cells.end) {
    bool is_good = evaluate<rule>(s, d, p, step, k);
    if (is_last && d.is_judged) {
      error = error_at<rule>(s, d, p.state, step.h, k);
      is_good = !is_bad_at(s, p.result, k);
    }
    if (is_last && !is_good) report_bad(found, attempt, cells.number[k]);
  }
  if (is_last && d.is_judged) report_error(found, error);
}

__global__ void __launch_bounds__(streamed_threads, streamed_blocks)
    stream_cells(const __grid_constant__ sphere<float> s, const __grid_constant__ streamed_step step,
                 const float* from, float* to, cell_range cells, verdict* found) {
  const auto k = cells.first + static_cast<int>(blockIdx.x * streamed_threads + threadIdx.x);
  if (static_cast<long long>(~__ldcg(&found->none_before) >> 32U) < step.attempt || k >= cells.end) return;
  if (!stream_cell(s, step, from, to, k)) report_bad(found, step.attempt, cells.number[k]);
}

template <class Real>
__global__ void pack_border(const Real* v, const int* gives, int count, Real* leaving) {
  const auto n = static_cast<int>(blockIdx.x * threads + threadIdx.x);
  if (n < count) leaving[n] = v[gives[n]];
}

unsigned blocks_for(int count) {
  return (static_cast<unsigned>(count) + threads - 1) / threads;
}

template <class Real>
class part_on_gpu final : public steps_on_gpu<part_solver, Real, verdict> {
  using steps = steps_on_gpu<part_solver, Real, verdict>;

 public:
  part_on_gpu(ranks::communicator& all, const device& d) : all_(all) { cuda::use_device(d); }

  void load(part p) override {
    if (!exchange_) exchange_ = cuda::make_exchange(all_);
    problem_ = std::move(p.own);
    interior_ = p.interior;
    sphere_.load(problem_, static_cast<std::size_t>(p.halo));
    number_ = cuda::uploaded(p.number);
    beside_ = p.beside;
    std::vector<int> gives;
    for (const bordering& b : beside_) gives.insert(gives.end(), b.gives.begin(), b.gives.end());
    gives_ = cuda::uploaded(gives);
    leaving_ = cuda::buffer<Real>(gives.size());
    found_ = cuda::buffer<verdict>(1);
    table_.forget();
  }

  void reset(const control& c) override {
    forget_verdict();
    steps::start(c);
    if (!is_judged()) keep_state();
    sample_now();
  }

  work per_unit() const override { return is_streamed() ? work_of_streamed_step() : steps::per_unit(); }

  void leave_out_exchange(bool is_left_out) override { is_alone_ = is_left_out; }

  ranks::time_split split(int steps) override {
    const std::size_t stages = method_.stages;
    std::vector<cuda::event> at(marks_of_stage * stages * static_cast<std::size_t>(steps) + 1);
    marks_ = &at;
    next_mark_ = 0;
    const progress before = state_;
    state_.control.most_attempts = state_.accepted + state_.rejected + steps;
    start_interval(state_, state_.t + 2 * steps * state_.wanted);
    for (int n = 0; n < steps && state_.state == ending::running; ++n)
      if (finish_attempt(state_, attempt())) current_ = 1 - current_;
    at[next_mark_].record(usual_.get());
    marks_ = nullptr;
    ranks::time_split spent = spent_between(at);
    state_.control = before.control;
    const auto attempts =
        static_cast<double>(state_.accepted + state_.rejected - before.accepted - before.rejected);
    for (double* part : {&spent.step, &spent.compute, &spent.exchange, &spent.wait}) *part /= attempts;
    return spent;
  }

 private:
  using steps::is_judged, steps::is_plain, steps::attempts, steps::places_of, steps::unseen;
  using steps::problem_, steps::method_, steps::sphere_, steps::samples_, steps::current_, steps::state_;

  static constexpr std::size_t marks_of_stage = 4;
  // Points that are marked in each stage.
  enum mark : std::size_t { interior_begins, interior_ends, sending_begins, arrived };

  int cells() const { return static_cast<int>(problem_.cells()); }

  bool is_streamed() const {
    return std::is_same_v<Real, float> && state_.control.method == scheme::euler && !is_plain() &&
           !is_judged();
  }

  outcome attempt() override {
    if (is_streamed() && !table_.is_for(state_.h)) fit_table_anew();
    for (std::size_t i = 0; i < method_.stages; ++i)
      is_plain() ? evaluate_stage<gate_rule::plain>(i) : evaluate_stage<gate_rule::rush_larsen>(i);
    return is_judged() ? steps::found() : outcome{};
  }

  // An exchange through the host blocks the host, so the interior's kernel is launched before it.
  template <gate_rule rule>
  void evaluate_stage(std::size_t i) {
    const bool has_border = cells() > interior_;
    if (has_border && exchange_->is_on_device()) send_border(i);
    border_done_.await(usual_.get());
    mark_here(interior_begins, usual_.get());
    evaluate_range<rule>(i, 0, interior_, usual_.get());
    mark_here(interior_ends, usual_.get());
    if (has_border && !exchange_->is_on_device()) send_border(i);
    if (has_border) {
      interior_done_.await(urgent_.get());
      evaluate_range<rule>(i, interior_, cells(), urgent_.get());
      border_done_.give(urgent_.get());
    }
    interior_done_.give(usual_.get());
    if (marks_ != nullptr) next_mark_ += marks_of_stage;
  }

  // Neither stream may read the table meanwhile.
  void fit_table_anew() {
    border_done_.await(usual_.get());
    table_.fit(problem_.cell, state_.h, usual_.get());
    interior_done_.give(usual_.get());
  }

  template <gate_rule rule>
  void evaluate_range(std::size_t i, int first, int end, cudaStream_t on) {
    if (first == end) return;
    if constexpr (std::is_same_v<Real, float>) {
      if (is_streamed()) return stream_range(first, end, on);
    }
    const step_size<Real> step{state_.h, active_stimuli(problem_.protocol, state_.t + state_.h / 2)};
    cuda::launch(evaluate_cells<rule, Real>, blocks_for(end - first), threads, 0, on, sphere_.view(),
                 sphere_.stage(method_, state_.control, i), places_of(i), step,
                 cell_range{first, end, number_.data()}, attempts(), found_.data());
  }

  void stream_range(int first, int end, cudaStream_t on) {
    const unsigned active = active_stimuli(problem_.protocol, state_.t + state_.h / 2);
    cuda::launch(stream_cells, blocks_for(end - first), streamed_threads, 0, on, sphere_.view(),
                 streamed_step{table_.values(), gate_span_of(state_.h), active, attempts()},
                 sphere_.state_at(current_), sphere_.state_at(1 - current_),
                 cell_range{first, end, number_.data()}, found_.data());
  }

  void send_border(std::size_t i) {
    mark_here(sending_begins, urgent_.get());
    auto* const v = const_cast<Real*>(places_of(i).here);
    if (!is_alone_) {
      const auto count = static_cast<int>(gives_.size());
      cuda::launch(pack_border<Real>, blocks_for(count), threads, 0, urgent_.get(), v, gives_.data(), count,
                   leaving_.data());
      std::vector<ranks::parcel> parcels;
      const Real* leaves = leaving_.data();
      for (const bordering& b : beside_) {
        parcels.push_back({b.rank, leaves, b.gives.size() * sizeof(Real), v + b.first,
                           static_cast<std::size_t>(b.count) * sizeof(Real)});
        leaves += b.gives.size();
      }
      exchange_->enqueue(parcels, urgent_.get());
    }
    mark_here(arrived, urgent_.get());
  }

  void forget_verdict() {
    const verdict nothing{0, 0};
    found_.upload(&nothing, 1);
  }

  // The verdict of all ranks.
  verdict look() override {
    border_done_.await(usual_.get());
    exchange_->enqueue_largest(reinterpret_cast<unsigned long long*>(found_.data()), 2, usual_.get());
    verdict v{};
    found_.download(&v, 1);
    if (!is_judged()) v.bad_cell() < 0 ? keep_state() : repeat_up_to(v.bad_attempt());
    return v;
  }

  // A rank alone stops where it finds a bad cell.
  bool can_pass_bad_cells() const { return all_.size() > 1; }

  void keep_state() {
    if (!can_pass_bad_cells()) return;
    const std::size_t words = sphere_.words_of_state();
    if (kept_.size() < words) kept_ = cuda::buffer<Real>(words);
    copy(sphere_.state_at(current_), kept_.data(), words);
  }

  // Attempts are numbered from the start of the run. Those before this one have no bad cells on any rank.
  void repeat_up_to(long long bad) {
    if (!can_pass_bad_cells()) return;
    copy(kept_.data(), sphere_.state_at(unseen().front().current), sphere_.words_of_state());
    interior_done_.give(usual_.get());
    interior_done_.await(urgent_.get());
    for (const auto& before : unseen()) {
      state_ = before.state;
      current_ = before.current;
      if (attempts() == bad) return;
      attempt();
    }
  }

  void copy(const Real* from, Real* to, std::size_t words) {
    REPRISE_CUDA(cudaMemcpyAsync(to, from, words * sizeof(Real), cudaMemcpyDeviceToDevice, usual_.get()));
  }

  void sample_now() override {
    if (samples_.is_due(state_.accepted)) border_done_.await(usual_.get());
    steps::take_sample(usual_.get());
  }

  void mark_here(mark what, cudaStream_t on) {
    if (marks_ != nullptr) (*marks_)[next_mark_ + what].record(on);
  }

  // Sums over all stages. The wait of a rank is that of its usual stream, which the
  // border's kernel does not belong to.
  ranks::time_split spent_between(const std::vector<cuda::event>& at) const {
    ranks::time_split spent;
    for (std::size_t n = 0; n < next_mark_; n += marks_of_stage) {
      spent.compute += at[n + interior_begins].seconds_until(at[n + interior_ends]);
      if (cells() > interior_) spent.exchange += at[n + sending_begins].seconds_until(at[n + arrived]);
    }
    spent.step = at[interior_begins].seconds_until(at[next_mark_]);
    spent.wait = std::max(0., spent.step - spent.compute);
    return spent;
  }

  ranks::communicator& all_;
  int interior_{};
  std::vector<bordering> beside_;
  cuda::buffer<int> number_;
  cuda::buffer<int> gives_;
  cuda::buffer<Real> leaving_;  // in the order of gives_
  cuda::buffer<verdict> found_;
  voltage_table table_;
  cuda::buffer<Real> kept_;  // the state of the last look
  cuda::stream usual_;
  cuda::stream urgent_{cuda::urgency::urgent};
  cuda::signal interior_done_;
  cuda::signal border_done_;
  std::unique_ptr<cuda::exchange> exchange_;
  bool is_alone_{false};
  std::vector<cuda::event>* marks_{};  // null if nothing is measured
  std::size_t next_mark_{};
};

using gpu_part = part_member<part_on_gpu<float>, part_on_gpu<double>>;

class cuda_multi final : public parts_solver {
 public:
  explicit cuda_multi(const device& d) : parts_solver(REPRISE_VARIANT_ID, d) {}
};

REPRISE_MEMBER(gpu_part);

REPRISE_VARIANT(solver, cuda_multi,
                {.summary = "the sphere in parts, a GPU for each rank of mpirun, borders exchanged by NCCL",
                 .place = "beyond the paper; sections 4.2 to 4.4",
                 .precisions = {precision::single, precision::double_},
                 .per_unit = work_of_streamed_step()});

}  // namespace
}  // namespace reprise::atrium
