// SPDX-License-Identifier: MIT
// Every method with Rush-Larsen, many steps in one launch that keeps the sphere on chip.
// Place: beyond the paper, whose kernels move the whole state in every step.
// Formula: section 3 on (8), gates by (11), Algorithm 3. Functions of the voltage are those of cuda_table.hpp.
//
// There is one block per multiprocessor and there are at most two cells per thread. All 21 variables of both cells
// stay in registers for the whole launch. Only voltages leave a thread: through shared memory within a block, and as
// mail between blocks. The 31 functions of the voltage alone, with some 40 exponentials, are read from parabolas in
// shared memory.
//
// A stage computes the currents and sends the voltages of the next argument. Only then does it advance gates and
// concentrations, while the mail is on its way. There is one block barrier per stage and no grid barrier. Gates advance
// in registers from stage to stage. Slopes of V, and old values of V and the concentrations, are in shared memory;
// slopes of the concentrations, and the gates to which a rejected step returns, are in memory that only their own thread
// uses: some 20 MB, which stay in the L2 cache.
//
// With adaptive steps each block posts its largest error, and the first warp of each block reads the errors of all and
// makes the same decision (tuned_control.hpp). The other pairs evaluate the next step's first stage while the errors
// travel. Bogacki-Shampine's last stage is the next step's first, so that it evaluates three stages a step, not four,
// but waits for the errors. After a rejected step the first stage is evaluated once more.
//
// A step of Euler of 163,842 cells on an H200 (132 multiprocessors at 1.98 GHz: 1242 cells each, and at most 306 in a
// margin), counted in the compiled loop:
//   issue              465 instructions a cell, half of them arithmetic in single precision   2.35 us
//   shared memory      24 reads of 16 bytes from the table and 15 others a cell               2.3 us
//                      if every cell needs its own row; reads of one row are combined
//   special functions  19 and 4 conversions a cell                                            0.95 us
//   memory bus         nothing; 0.2 MB of mail stay in the L2 cache
// The lower limit is therefore 2.4 us per step, or 14 ms for 6000 steps. With five warps per scheduler, each
// of two independent cells, a step should take 3.5 to 4.5 us, because issue and shared memory overlap only
// partly. (With the state in the L2 cache instead, 27.5 MB in and out would take some 5 us; with exponentials
// instead of tables, issue alone would take 5 us.)
//
// A stage of the other methods adds at least:
//   rates instead of decays   12 exponentials and some 90 instructions a cell              0.45 us of issue, 0.6 of
//                             special functions
//   L2 cache                  5 words of each slope of the concentrations; 15 words a step in case that it is
//                             rejected: 60 to 200 bytes a cell and stage, 10 to 33 MB      1.5 to 5 us at 6.5 TB/s,
//                             which overlap with issue
//   decision                  two barriers, a word from each block and a power             some 2 us a step
// Measured: 5.0 us a stage of midpoint, 11 of Bogacki-Shampine, 10 of the trapezoidal rule. Adaptive steps need more than
// the 96 registers that 640 threads have: some 30 words a thread move to the L2 cache and back in every stage, which
// is most of the difference. Three and four cells in threads with 128 and 168 registers take 16 % and 26 % longer, with
// fewer such words, because fewer warps hide each other's waits.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "solvers/atrium/cuda_steps.hpp"
#include "solvers/atrium/tuned_steps.hpp"
#include "solvers/atrium/tuned_work.hpp"

namespace reprise::atrium {
namespace {

constexpr int most_threads = 640;  // two cells each, in 96 registers
constexpr unsigned long long none_bad = ~0ULL;

__global__ void __launch_bounds__(64)
    fit_table(cell_constants<double> c, gate_column column, double h, quartet* table) {
  const auto row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (row < rows_of_table) fit_row(c, column, h, row, table + row * quartets_of_row);
}

template <steps_kind kind, int cells_of_thread>
__global__ void __launch_bounds__(most_threads, 1)
    run_stretch(const __grid_constant__ tuned_data d, const __grid_constant__ stretch now,
                const __grid_constant__ sample_data<float> samples, const float* from, float* to) {
  // Stops if an earlier launch has found a bad cell.
  if (static_cast<long long>(__ldcg(d.bad) >> 32U) < now.before) return;
  const patch_place at(d, cells_of_thread);
  const shared_layout l(d, at.room);
  fill(l, d, at, from);
  thread_cells<cells_of_thread> mine;
  mine.load(d, l, at, from);
  if constexpr (kind == steps_kind::euler) mine.stimulate(d, at, now.active);
  __syncthreads();
  follow_stretch<kind>(mine, d, l, at, now, samples);
  mine.store(d, at, to);
}

template <int cells_of_thread>
__global__ void __launch_bounds__(most_threads, 1)
    run_attempts(const __grid_constant__ tuned_data d, const __grid_constant__ adaptive_launch launch,
                 const __grid_constant__ sample_data<float> samples, const float* from, float* to) {
  const patch_place at(d, cells_of_thread);
  const shared_layout l(d, at.room);
  fill(l, d, at, from);
  thread_cells<cells_of_thread> mine;
  mine.load(d, l, at, from);
  if (threadIdx.x < lanes_of_warp) begin_attempts(*l.run, d.plan, launch);
  __syncthreads();
  follow_errors(mine, d, l, at, launch, samples);
  mine.store(d, at, to);
  if (threadIdx.x == 0 && blockIdx.x == 0) *launch.run = {l.run->state, l.run->tag, l.run->round};
}

class cuda_tuned final : public run_on_gpu<solver, float> {
 public:
  explicit cuda_tuned(const device& d) { cuda::use_device(d); }

  void load(const problem& p, precision) override {
    problem_ = p;
    sphere_.load(p);
    const int most_blocks = std::min(cuda::current_properties().multiprocessors, most_deciding_blocks);
    patches_ = cut(p, most_blocks, fewest_cells);
    rings_ = cuda::uploaded(patches_.rings);
    margin_cells_ = cuda::uploaded(patches_.margin_cells);
    margin_count_ = cuda::uploaded(patches_.margin_count);
    recorded_first_ = cuda::uploaded(patches_.recorded_first);
    recorded_place_ = cuda::uploaded(patches_.recorded_place);
    recorded_column_ = cuda::uploaded(patches_.recorded_column);
    table_ = cuda::buffer<quartet>(static_cast<std::size_t>(rows_of_table * quartets_of_row));
    is_fitted_ = false;
    boxes_ = cuda::buffer<unsigned long long>(2 * p.cells());
    boxes_.fill_bytes(0);
    verdicts_ = cuda::buffer<unsigned long long>(2 * static_cast<std::size_t>(patches_.blocks));
    verdicts_.fill_bytes(0);
    tag_ = round_ = 0;
    found_ = cuda::buffer<found>(1);
    run_ = cuda::buffer<adaptive_run>(1);
    kept_ = {};
    reset(fixed_steps(scheme::euler, gate_rule::rush_larsen, 1));
  }

  void reset(const control& c) override {
    if (c.gates != gate_rule::rush_larsen)
      throw unavailable(
          "tables of the voltage have what gates need by Rush-Larsen, and nothing for plain gates");
    plan_ = plan_of(data_of(c.method));
    kind_ = kind_of(plan_, c);
    choose_shape();
    start(c, data_of(scheme::euler));
    if (c.is_adaptive) state_.stages = plan_.advancing();
    allocate_kept();
    clear_found();
    take_sample();
  }

  progress advance(double t_end) override {
    start_interval(state_, t_end);
    kind_ == steps_kind::adaptive ? follow_errors_to_end() : follow_plan_to_end();
    return state_;
  }

  stopwatch& clock() override { return clock_; }

  // Also idle lanes compute.
  work per_unit() const override {
    work w = work_of_step(method_, kind_);
    const double computed =
        1.0 * patches_.blocks * threads_ * cells_of_thread_ / static_cast<double>(problem_.cells());
    w.bytes_shared *= computed;
    w.functions *= computed;
    return w;
  }

 private:
  static constexpr int fewest_cells =
      4;  // per block: small spheres, which only checks have, are exchanged between blocks too
  static constexpr int most_steps = 20'000;  // per launch: keeps a shared display responsive
  static constexpr long long least_room = 64;

  struct planned {
    progress before;
    int current;
    stretch part;
  };

  // What fixed steps leave on the device.
  struct found {
    unsigned long long bad{none_bad};
    unsigned error{};
  };

  static steps_kind kind_of(const method_plan& p, const control& c) {
    if (c.is_adaptive) return steps_kind::adaptive;
    if (p.stages == 1) return steps_kind::euler;
    return common_span(p) > 0 ? steps_kind::fixed_by_decays : steps_kind::fixed_by_rates;
  }

  // For how many steps gates advance wherever they do, once or twice; 0 if that differs.
  static double common_span(const method_plan& p) {
    if (p.has_kept_gates) return 0;
    const double span = p.stage[0].over;
    for (int s = 1; s < p.stages; ++s)
      if (p.stage[s].over != 0 && p.stage[s].over != span && !p.stage[s].is_twice) return 0;
    return span;
  }

  // Uses one cell per thread if that is enough, and holds as many rows of the table
  // as shared memory has room for.
  void choose_shape() {
    cells_of_thread_ = patches_.cells <= most_threads ? 1 : 2;
    constexpr int warp = 32;
    threads_ = ((patches_.cells + cells_of_thread_ - 1) / cells_of_thread_ + warp - 1) / warp * warp;
    const int room = threads_ * cells_of_thread_;
    const auto bytes = [&](int rows) {
      return shared_layout::bytes(rows, room, patches_.cells, patches_.margin, plan_.stages);
    };
    const std::size_t most = cuda::current_properties().shared_bytes_per_block;
    constexpr int fewest_rows = 200;
    if (threads_ > most_threads || bytes(fewest_rows) > most)
      throw unavailable("does not fit on chip: " + std::to_string(patches_.cells) +
                        " cells for each multiprocessor, of which this device has " +
                        std::to_string(cuda::current_properties().multiprocessors));
    rows_held_ =
        std::min(most_rows_held, static_cast<int>((most - bytes(0)) / (sizeof(quartet) * quartets_of_row)));
    shared_bytes_ = bytes(rows_held_);
  }

  void allocate_kept() {
    if (plan_.stages == 1) return;
    const std::size_t cells = static_cast<std::size_t>(patches_.blocks * threads_ * cells_of_thread_);
    if (kept_.size() == 0) kept_ = cuda::buffer<float>(cells * field::count);
  }

  void clear_found() {
    const found none{};
    found_.upload(&none, 1);
  }

  // Fits the table to gates that advance by h in each stage, or, for h = 0, to their rates.
  void fit(double h) {
    const gate_column column = h > 0 ? gate_column::decay : gate_column::rate;
    if (table_h_ == h && is_fitted_) return;
    cuda::launch(fit_table, (rows_of_table + 63) / 64, 64, 0, nullptr, constants_of<double>(problem_.cell),
                 column, h, table_.data());
    table_h_ = h;
    is_fitted_ = true;
  }

  void follow_errors_to_end() {
    if (state_.state != ending::running) return;
    fit(0);
    adaptive_run run{state_, tag_, round_};
    run_.upload(&run, 1);
    while (state_.state == ending::running) {
      launch_attempts();
      run_.download(&run, 1);
      state_ = run.state;
      tag_ = run.tag;
      round_ = run.round;
      if (samples_.room(state_.accepted) < least_room) samples_.flush(state_.accepted);
    }
  }

  void launch_attempts() {
    const auto most = std::min<long long>(most_steps, std::max(1LL, samples_.room(state_.accepted)));
    const sample_data<float> samples = samples_.view();
    const adaptive_launch all{times_of(problem_.protocol),
                              static_cast<int>(most),
                              samples.every,
                              samples.first,
                              run_.data(),
                              verdicts_.data()};
    cuda::launch_resident(cells_of_thread_ == 1 ? run_attempts<1> : run_attempts<2>,
                          static_cast<unsigned>(patches_.blocks), static_cast<unsigned>(threads_),
                          shared_bytes_, nullptr, data(), all, samples, sphere_.state_at(current_),
                          sphere_.state_at(1 - current_));
    current_ = 1 - current_;
  }

  void follow_plan_to_end() {
    while (state_.state == ending::running) {
      unseen_.push_back(plan());
      launch(unseen_.back().part);
      if (state_.state != ending::running || samples_.room(state_.accepted) < least_room) look();
    }
  }

  // Plans steps from the current state for as long as their length and stimuli do not change, and
  // advances state_ to their end.
  planned plan() {
    planned p{state_, current_, {}};
    const double h = state_.h;
    const auto active = [&] { return active_stimuli(problem_.protocol, state_.t + state_.h / 2); };
    stretch& s = p.part;
    s.before = state_.accepted;
    s.h = h;
    s.active = active();
    s.first_multiple = std::floor(state_.t / state_.control.dt + 1e-6) + 1;
    s.dt = state_.control.dt;
    fill_weights(plan_, h, s.weights, 0, 1);
    const auto most = std::min<long long>(most_steps, std::max(1LL, samples_.room(state_.accepted)));
    do {
      finish_attempt(state_, {0, -1});
      ++s.steps;
    } while (state_.state == ending::running && s.steps < most && state_.h == h && active() == s.active);
    s.end = state_.t;
    s.judges = plan_.is_judged && state_.state != ending::running;
    return p;
  }

  void launch(stretch s) {
    if (s.steps == 0) return;
    fit(kind_ == steps_kind::fixed_by_rates ? 0 : common_span(plan_) * s.h);
    s.tag = tag_;
    tag_ += static_cast<unsigned>(s.steps * plan_.stages);
    cuda::launch_resident(kernel(), static_cast<unsigned>(patches_.blocks), static_cast<unsigned>(threads_),
                          shared_bytes_, nullptr, data(), s, samples_.view(), sphere_.state_at(current_),
                          sphere_.state_at(1 - current_));
    current_ = 1 - current_;
  }

  auto kernel() const -> decltype(&run_stretch<steps_kind::euler, 1>) {
    const bool is_single = cells_of_thread_ == 1;
    switch (kind_) {
      case steps_kind::fixed_by_decays:
        return is_single ? run_stretch<steps_kind::fixed_by_decays, 1>
                         : run_stretch<steps_kind::fixed_by_decays, 2>;
      case steps_kind::fixed_by_rates:
        return is_single ? run_stretch<steps_kind::fixed_by_rates, 1>
                         : run_stretch<steps_kind::fixed_by_rates, 2>;
      default:
        return is_single ? run_stretch<steps_kind::euler, 1> : run_stretch<steps_kind::euler, 2>;
    }
  }

  // Returns to the first step with a bad cell, if there is one, by repeating its stretch up to that step.
  void look() {
    found now{};
    found_.download(&now, 1);
    if (plan_.is_judged) {
      state_.error = static_cast<double>(std::bit_cast<float>(now.error));
      clear_found();
    }
    if (now.bad != none_bad) {
      const auto step = static_cast<long long>(now.bad >> 32U);
      const auto at = std::find_if(unseen_.begin(), unseen_.end(),
                                   [&](const planned& p) { return step < p.part.before + p.part.steps; });
      planned again = *at;
      state_ = again.before;
      current_ = again.current;
      again.part.steps = static_cast<int>(step - again.part.before);
      for (int n = 0; n < again.part.steps; ++n) finish_attempt(state_, {0, -1});
      again.part.end = state_.t;
      clear_found();
      launch(again.part);
      finish_attempt(state_, {0, static_cast<int>(now.bad & 0xffffffffU)});
    }
    unseen_.clear();
    if (samples_.room(state_.accepted) < least_room) samples_.flush(state_.accepted);
  }

  tuned_data data() {
    return {sphere_.view(),
            plan_,
            patches_.cells,
            patches_.margin,
            rings_.data(),
            margin_cells_.data(),
            margin_count_.data(),
            recorded_first_.data(),
            recorded_place_.data(),
            recorded_column_.data(),
            table_.data(),
            rows_held_,
            boxes_.data(),
            &found_.data()->bad,
            &found_.data()->error,
            kept_.data(),
            static_cast<float>(state_.control.at),
            static_cast<float>(state_.control.rt),
            cuda::usual_patience()};
  }

  patches patches_;
  method_plan plan_{};
  steps_kind kind_{};
  int cells_of_thread_{};
  int threads_{};
  int rows_held_{};
  std::size_t shared_bytes_{};
  cuda::buffer<ring> rings_;
  cuda::buffer<int> margin_cells_, margin_count_, recorded_first_, recorded_place_, recorded_column_;
  cuda::buffer<quartet> table_;
  double table_h_{};  // for which the table was fitted
  bool is_fitted_{};
  cuda::buffer<unsigned long long> boxes_, verdicts_;
  cuda::buffer<found> found_;
  cuda::buffer<adaptive_run> run_;
  cuda::buffer<float> kept_;
  unsigned tag_{};
  unsigned round_{};
  std::vector<planned> unseen_;  // launched since the last check
  cuda::event_stopwatch clock_;
};

REPRISE_VARIANT(solver, cuda_tuned,
                {.summary = "every method with Rush-Larsen, many steps a launch, the sphere on chip",
                 .place = "beyond the paper",
                 .precisions = {precision::single},
                 .per_unit = work_of_step(data_of(scheme::euler), steps_kind::euler)});

}  // namespace
}  // namespace reprise::atrium
