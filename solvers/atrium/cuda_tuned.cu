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
#include <vector>

#include "solvers/atrium/tuned_run.hpp"

namespace reprise::atrium {
namespace {

template <steps_kind kind, int cells_of_thread>
__global__ void __launch_bounds__(most_threads_on_chip, 1)
    run_stretch(const __grid_constant__ tuned_data d, const __grid_constant__ stretch now,
                const __grid_constant__ sample_data<float> samples, const float* from, float* to) {
  // Stops if an earlier launch has found a bad cell.
  if (static_cast<long long>(__ldcg(d.bad) >> 32U) < now.before) return;
  make_stretch<kind, cells_of_thread>(d, now, samples, near_mail{}, from, to);
}

template <int cells_of_thread>
__global__ void __launch_bounds__(most_threads_on_chip, 1)
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

class cuda_tuned final : public run_on_chip<solver> {
 public:
  explicit cuda_tuned(const device& d) { cuda::use_device(d); }

  void load(const problem& p, precision) override {
    load_patches(p);
    boxes_ = cuda::buffer<unsigned long long>(2 * p.cells());
    boxes_.fill_bytes(0);
    verdicts_ = cuda::buffer<unsigned long long>(2 * static_cast<std::size_t>(patches_.blocks));
    verdicts_.fill_bytes(0);
    round_ = 0;
    run_ = cuda::buffer<adaptive_run>(1);
    reset(fixed_steps(scheme::euler, gate_rule::rush_larsen, 1));
  }

  void reset(const control& c) override {
    start_steps(c);
    if (c.is_adaptive) state_.stages = plan_.advancing();
    take_sample();
  }

  progress advance(double t_end) override {
    start_interval(state_, t_end);
    kind_ == steps_kind::adaptive ? follow_errors_to_end() : follow_plan_to_end();
    return state_;
  }

  stopwatch& clock() override { return clock_; }

 private:
  auto kernel() const {
    return for_fixed_steps([](auto kind, auto cells) { return &run_stretch<kind.value, cells.value>; });
  }

  long long most_of_launch() const {
    return std::min<long long>(most_steps, std::max(1LL, samples_.room(state_.accepted)));
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
      make_room_for_samples();
    }
  }

  void launch_attempts() {
    const sample_data<float> samples = samples_.view();
    const adaptive_launch all{times_of(problem_.protocol),
                              static_cast<int>(most_of_launch()),
                              samples.every,
                              samples.first,
                              run_.data(),
                              verdicts_.data()};
    cuda::launch_resident(cells_of_thread_ == 1 ? run_attempts<1> : run_attempts<2>, blocks(), threads(),
                          shared_bytes_, nullptr, data_with(boxes_.data()), all, samples,
                          sphere_.state_at(current_), sphere_.state_at(1 - current_));
    current_ = 1 - current_;
  }

  void follow_plan_to_end() {
    while (state_.state == ending::running) {
      unseen_.push_back(plan(most_of_launch()));
      launch(unseen_.back().part);
      if (state_.state != ending::running || samples_.room(state_.accepted) < least_room) look();
    }
  }

  void launch(stretch s) {
    if (s.steps == 0) return;
    fit_to(s);
    number_tags(s);
    cuda::launch_resident(kernel(), blocks(), threads(), shared_bytes_, nullptr, data_with(boxes_.data()), s,
                          samples_.view(), sphere_.state_at(current_), sphere_.state_at(1 - current_));
    current_ = 1 - current_;
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
      clear_found();
      launch(plan_up_to(*at, step));
      finish_attempt(state_, {0, static_cast<int>(now.bad & 0xffffffffU)});
    }
    unseen_.clear();
    make_room_for_samples();
  }

  cuda::buffer<unsigned long long> boxes_, verdicts_;
  cuda::buffer<adaptive_run> run_;
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
