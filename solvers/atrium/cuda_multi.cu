// SPDX-License-Identifier: MIT
// The sphere in parts on several GPUs, one for each rank: a kernel a stage for the interior of a part and,
// beside it in an urgent stream, what the border needs: pack its voltages, exchange them with the neighbours,
// then the border's own kernel. While the interior is computed nobody waits for the exchange. The last stage
// of a pair finds the error, of which all ranks take the largest; the hosts decide alike.
// Place: beyond the paper; on each GPU sections 4.2 to 4.4, layout (18), Algorithms 5 and 6.
// Formula: section 3 on (8), gates by (11).
//
//   usual stream    | interior 1      | interior 2      |       interior n waits for border n - 1,
//   urgent stream   | send 1 | border 1 | send 2 | border 2     border n for interior n - 1
//
// A step of fixed length that needs no error waits for no other rank but its neighbours; all look for bad
// cells together every few steps. Where one is found, other ranks' states are later than its time by then.
#include <bit>
#include <vector>

#include "solvers/atrium/cuda_cells.hpp"
#include "solvers/atrium/cuda_samples.hpp"
#include "solvers/atrium/parts_solver.hpp"
#include "solvers/common/cuda_exchange.hpp"

namespace reprise::atrium {
namespace {

constexpr unsigned threads = 128;

// What an attempt has found, as numbers of which the largest of all ranks counts: bits of e; and the
// complement of attempt << 32 | cell of the first bad cell, 0 where none is.
struct verdict {
  unsigned long long error_bits;
  unsigned long long none_before;
};

struct cell_range {
  int first, end;
  const int* number;  // of each on the whole sphere
};

__device__ void report_bad(verdict* found, long long attempt, int number) {
  atomicMax(&found->none_before,
            ~(static_cast<unsigned long long>(attempt) << 32U | static_cast<unsigned>(number)));
}

// By whole warps. Few errors are larger than what is known already.
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

template <class Real>
__global__ void pack_border(const Real* v, const int* gives, int count, Real* leaving) {
  const auto n = static_cast<int>(blockIdx.x * threads + threadIdx.x);
  if (n < count) leaving[n] = v[gives[n]];
}

template <class Real>
__global__ void __launch_bounds__(threads)
    sample_cells(sample_data<Real> to, const Real* v, long long accepted, double t) {
  sample(to, v, accepted, t);
}

template <class T>
cuda::buffer<T> uploaded(const std::vector<T>& values) {
  cuda::buffer<T> b(values.size());
  b.upload(values.data(), values.size());
  return b;
}

unsigned blocks_for(int count) {
  return (static_cast<unsigned>(count) + threads - 1) / threads;
}

// Times between points of streams, of many steps: asked for at the end.
class marks {
 public:
  explicit marks(std::size_t count) : events_(count) {
    for (cudaEvent_t& e : events_) REPRISE_CUDA(cudaEventCreate(&e));
  }
  marks(const marks&) = delete;
  marks& operator=(const marks&) = delete;
  ~marks() {
    for (cudaEvent_t e : events_) static_cast<void>(cudaEventDestroy(e));
  }

  void set(std::size_t n, cudaStream_t on) { REPRISE_CUDA(cudaEventRecord(events_[n], on)); }
  double seconds(std::size_t begin, std::size_t end) const {
    REPRISE_CUDA(cudaEventSynchronize(events_[end]));
    float milliseconds = 0;
    REPRISE_CUDA(cudaEventElapsedTime(&milliseconds, events_[begin], events_[end]));
    return 1e-3 * static_cast<double>(milliseconds);
  }

 private:
  std::vector<cudaEvent_t> events_;
};

template <class Real>
class part_on_gpu : public part_solver {
 public:
  part_on_gpu(ranks::communicator& all, const device& d) : all_(all) { cuda::use_device(d); }

  void load(part p) override {
    if (!exchange_) exchange_ = cuda::make_exchange(all_);
    problem_ = std::move(p.own);
    interior_ = p.interior;
    sphere_.load(problem_, static_cast<std::size_t>(p.halo));
    number_ = uploaded(p.number);
    beside_ = p.beside;
    std::vector<int> gives;
    for (const bordering& b : beside_) gives.insert(gives.end(), b.gives.begin(), b.gives.end());
    gives_ = uploaded(gives);
    leaving_ = cuda::buffer<Real>(gives.size());
    found_ = cuda::buffer<verdict>(1);
  }

  void reset(const control& c) override {
    method_ = data_of(c.method);
    sphere_.reset(problem_, method_, c.gates);
    current_ = 0;
    forget_verdict();
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
  work per_unit() const override { return counted(method_, state_.how.gates, sizeof(Real)); }
  void leave_out_exchange(bool is_left_out) override { is_alone_ = is_left_out; }

  ranks::time_split split(int steps) override {
    const std::size_t stages = method_.stages;
    marks at(marks_of_stage * stages * static_cast<std::size_t>(steps) + 1);
    marks_ = &at;
    next_mark_ = 0;
    const progress before = state_;
    state_.how.most_attempts = state_.accepted + state_.rejected + steps;
    start_interval(state_, state_.t + 2 * steps * state_.wanted);
    for (int n = 0; n < steps && state_.state == ending::running; ++n)
      if (finish_attempt(state_, attempt())) current_ = 1 - current_;
    at.set(next_mark_, usual_.get());
    marks_ = nullptr;
    ranks::time_split spent = spent_between(at);
    state_.how = before.how;
    const auto attempts =
        static_cast<double>(state_.accepted + state_.rejected - before.accepted - before.rejected);
    for (double* part : {&spent.step, &spent.compute, &spent.exchange, &spent.wait}) *part /= attempts;
    return spent;
  }

 private:
  static constexpr std::size_t steps_ahead = 64;
  static constexpr std::size_t marks_of_stage = 4;
  // What is marked in each stage.
  enum mark : std::size_t { interior_begins, interior_ends, sending_begins, arrived };

  struct moment {
    progress state;
    int current;
  };

  bool is_judged() const { return method_.low_order > 0; }
  bool is_plain() const { return state_.how.gates == gate_rule::plain; }
  long long attempts() const { return state_.accepted + state_.rejected; }
  int cells() const { return static_cast<int>(problem_.cells()); }

  outcome attempt() {
    for (std::size_t i = 0; i < method_.stages; ++i)
      is_plain() ? evaluate_stage<gate_rule::plain>(i) : evaluate_stage<gate_rule::rush_larsen>(i);
    return is_judged() ? found_by_all() : outcome{};
  }

  // An exchange through the host stops it: the interior's kernel goes before.
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

  template <gate_rule rule>
  void evaluate_range(std::size_t i, int first, int end, cudaStream_t on) {
    if (first == end) return;
    const step_size<Real> step{state_.h, active_stimuli(problem_.what, state_.t + state_.h / 2)};
    cuda::launch(evaluate_cells<rule, Real>, blocks_for(end - first), threads, 0, on, sphere_.view(),
                 sphere_.stage(method_, state_.how, i), places_of(i), step,
                 cell_range{first, end, number_.data()}, attempts(), found_.data());
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

  // Where stage i reads and writes.
  places<Real> places_of(std::size_t i) {
    Real* const state = sphere_.state_at(current_);
    Real* const result = sphere_.state_at(1 - current_);
    return {state, i == 0 ? state : sphere_.argument(i),
            i + 1 == method_.stages ? result : sphere_.argument(i + 1), result};
  }

  void forget_verdict() {
    const verdict nothing{0, 0};
    found_.upload(&nothing, 1);
  }

  verdict verdict_of_all() {
    border_done_.await(usual_.get());
    exchange_->enqueue_largest(reinterpret_cast<unsigned long long*>(found_.data()), 2, usual_.get());
    verdict v{};
    found_.download(&v, 1);
    return v;
  }

  static int bad_cell_in(const verdict& v) {
    return v.none_before == 0 ? -1 : static_cast<int>(~v.none_before & 0xffffffffU);
  }

  outcome found_by_all() {
    const verdict v = verdict_of_all();
    return {std::bit_cast<double>(v.error_bits), bad_cell_in(v)};
  }

  // Goes back to the first attempt that has a bad cell on any rank, if one has.
  void look_back() {
    if (!is_judged()) {
      const verdict v = verdict_of_all();
      if (v.none_before != 0) {
        const moment& first = unseen_.front();
        const auto bad_attempt = static_cast<long long>(~v.none_before >> 32U);
        const auto ago = bad_attempt - first.state.accepted - first.state.rejected;
        const moment& at = unseen_[static_cast<std::size_t>(ago)];
        state_ = at.state;
        current_ = at.current;
        finish_attempt(state_, {0, bad_cell_in(v)});
      }
    }
    unseen_.clear();
    if (samples_.room(state_.accepted) <= static_cast<long long>(steps_ahead))
      samples_.flush(state_.accepted);
  }

  void take_sample() {
    const control& c = state_.how;
    if (!samples_.is_on() || state_.accepted % c.record_every != 0) return;
    border_done_.await(usual_.get());
    cuda::launch(sample_cells<Real>, 1, threads, 0, usual_.get(), samples_.view(), sphere_.state_at(current_),
                 state_.accepted, state_.t);
  }

  void mark_here(mark what, cudaStream_t on) {
    if (marks_ != nullptr) marks_->set(next_mark_ + what, on);
  }

  // Of all stages; the rank waits where its usual stream does. What the border computes is beside that.
  ranks::time_split spent_between(const marks& at) const {
    ranks::time_split spent;
    for (std::size_t n = 0; n < next_mark_; n += marks_of_stage) {
      spent.compute += at.seconds(n + interior_begins, n + interior_ends);
      if (cells() > interior_) spent.exchange += at.seconds(n + sending_begins, n + arrived);
    }
    spent.step = at.seconds(interior_begins, next_mark_);
    spent.wait = std::max(0., spent.step - spent.compute);
    return spent;
  }

  ranks::communicator& all_;
  problem problem_;
  method_data method_{};
  int interior_{};
  std::vector<bordering> beside_;
  device_cells<Real> sphere_;
  device_samples<Real> samples_;
  int current_{};  // which of the two states is the cells'
  cuda::buffer<int> number_;
  cuda::buffer<int> gives_;
  cuda::buffer<Real> leaving_;  // in the order of gives_
  cuda::buffer<verdict> found_;
  cuda::stream usual_;
  cuda::urgent_stream urgent_;
  cuda::signal interior_done_;
  cuda::signal border_done_;
  std::unique_ptr<cuda::exchange> exchange_;
  bool is_alone_{false};
  progress state_;
  std::vector<moment> unseen_;  // before the attempts since the last look
  marks* marks_{};              // null: nothing is marked
  std::size_t next_mark_{};
};

// As in_either_precision: no template of this name in two unnamed namespaces.
class gpu_part_in_single final : public part_on_gpu<float> {
 public:
  using part_on_gpu<float>::part_on_gpu;
};
class gpu_part_in_double final : public part_on_gpu<double> {
 public:
  using part_on_gpu<double>::part_on_gpu;
};

class gpu_part final : public part_member {
 public:
  gpu_part(ranks::communicator& all, const device& mine) : part_member(all, mine, make) {}

 private:
  static std::unique_ptr<part_solver> make(precision arithmetic, ranks::communicator& all, const device& d) {
    if (arithmetic == precision::single) return std::make_unique<gpu_part_in_single>(all, d);
    return std::make_unique<gpu_part_in_double>(all, d);
  }
};

class cuda_multi final : public parts_solver {
 public:
  explicit cuda_multi(const device& d) : parts_solver(REPRISE_VARIANT_ID, d) {}
};

REPRISE_MEMBER(gpu_part);

REPRISE_VARIANT(solver, cuda_multi,
                {.summary = "the sphere in parts, a GPU for each rank of mpirun, borders exchanged by NCCL",
                 .place = "beyond the paper; sections 4.2 to 4.4",
                 .precisions = {precision::single, precision::double_},
                 .per_unit = counted(data_of(scheme::euler), gate_rule::rush_larsen, sizeof(float)),
                 .repeats = determinism::bitwise});

}  // namespace
}  // namespace reprise::atrium
