// SPDX-License-Identifier: MIT
// Steps of Euler with Rush-Larsen in one launch that keeps the sphere on chip.
// Place: beyond the paper, whose kernels move the whole state in every step.
// Formula: (8) and (11). Functions of the voltage are those of cuda_table.hpp; functions of calcium and
// sodium use the device's own exponential, logarithm and inverse, good to two units in the last place.
//
// There is one block per multiprocessor and there are two cells per thread. All 21 variables of both cells
// stay in registers as long as the stimuli do not change. Only voltages leave a thread: through shared memory
// within a block, and as mail between blocks. The 31 functions of the voltage alone, with some 40
// exponentials, are read from parabolas in shared memory.
//
// A step computes the currents and sends the new voltages. Only then does it advance gates and concentrations
// with the old ones, while the mail is on its way. There is one block barrier per step and no grid barrier.
//
// A step of 163,842 cells on an H200 (132 multiprocessors at 1.98 GHz: 1242 cells each, and at most 306 in a
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
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "solvers/atrium/cuda_on_chip.hpp"
#include "solvers/atrium/cuda_steps.hpp"

namespace reprise::atrium {
namespace {

constexpr int most_threads = 640;  // two cells each, in 96 registers
constexpr unsigned long long none_bad = ~0ULL;

__global__ void __launch_bounds__(64) fit_table(cell_constants<double> c, double h, quartet* table) {
  const auto row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (row < rows_of_table) fit_row(c, h, row, table + row * quartets_of_row);
}

template <int cells_of_thread>
__global__ void __launch_bounds__(most_threads, 1)
    run_stretch(tuned_data d, stretch now, sample_data<float> samples, const float* from, float* to) {
  // Stops if an earlier launch has found a bad cell.
  if (static_cast<long long>(__ldcg(d.bad) >> 32U) < now.before) return;
  const auto room = static_cast<int>(blockDim.x) * cells_of_thread;
  const int first = static_cast<int>(blockIdx.x) * d.patch_cells;
  const int own = min(d.patch_cells, d.s.cells - first);
  const shared_layout l(d, room);
  fill(l, d, room, first, own, from);
  thread_cells<cells_of_thread> mine;
  load(mine, d, now, l, first, own, from);
  __syncthreads();
  auto until_sample = samples.every == 0 ? -1 : static_cast<int>(samples.every - now.before % samples.every);
  for (int n = 0; n < now.steps; ++n) {
    step(mine, d, now, l, first, own, n);
    __syncthreads();
    if (--until_sample != 0) continue;
    until_sample = samples.every;
    const double t = n + 1 == now.steps ? now.end : (now.first_multiple + n) * now.dt;
    keep_voltages(d, samples, n % 2 == 0 ? l.voltage[1] : l.voltage[0], now.before + n + 1, t);
  }
#pragma unroll
  for (int c = 0; c < cells_of_thread; ++c) {
    const auto place = static_cast<int>(threadIdx.x + static_cast<unsigned>(c) * blockDim.x);
    if (place >= own) continue;
#pragma unroll
    for (int n = 0; n < static_cast<int>(variables); ++n) to[n * d.s.stride + first + place] = mine.y[c][n];
  }
}

class cuda_tuned final : public run_on_gpu<solver, float> {
 public:
  explicit cuda_tuned(const device& d) { cuda::use_device(d); }

  void load(const problem& p, precision) override {
    problem_ = p;
    sphere_.load(p);
    patches_ = cut(p, cuda::current_properties().multiprocessors, fewest_cells);
    choose_shape();
    rings_ = cuda::uploaded(patches_.rings);
    margin_cells_ = cuda::uploaded(patches_.margin_cells);
    margin_count_ = cuda::uploaded(patches_.margin_count);
    recorded_first_ = cuda::uploaded(patches_.recorded_first);
    recorded_place_ = cuda::uploaded(patches_.recorded_place);
    recorded_column_ = cuda::uploaded(patches_.recorded_column);
    table_ = cuda::buffer<quartet>(static_cast<std::size_t>(rows_of_table * quartets_of_row));
    table_h_ = 0;
    boxes_ = cuda::buffer<unsigned long long>(2 * p.cells());
    boxes_.fill_bytes(0);
    tag_ = 0;
    bad_ = cuda::buffer<unsigned long long>(1);
    reset(fixed_steps(scheme::euler, gate_rule::rush_larsen, 1));
  }

  void reset(const control& c) override {
    if (c.method != scheme::euler || c.gates != gate_rule::rush_larsen || c.is_adaptive)
      throw unavailable("only Euler with Rush-Larsen in steps of one length keeps its state in registers");
    start(c);
    clear_bad();
    take_sample();
  }

  progress advance(double t_end) override {
    start_interval(state_, t_end);
    while (state_.state == ending::running) {
      unseen_.push_back(plan());
      launch(unseen_.back().part);
      if (state_.state != ending::running || samples_.room(state_.accepted) < least_room) look();
    }
    return state_;
  }

  stopwatch& clock() override { return clock_; }
  work per_unit() const override { return work_of_step(); }

  // A stretch of steps loads and stores the state once.
  static constexpr work work_of_step() {
    work w = counted(data_of(scheme::euler), gate_rule::rush_larsen, sizeof(float));
    w.bytes_dram_once = w.bytes_dram;
    w.bytes_dram = 0;
    return w;
  }

 private:
  static constexpr int fewest_cells = 16;    // per block
  static constexpr int most_steps = 20'000;  // per launch: keeps a shared display responsive
  static constexpr long long least_room = 64;

  struct planned {
    progress before;
    int current;
    stretch part;
  };

  // Uses one cell per thread if that is enough, and holds as many rows of the table
  // as shared memory has room for.
  void choose_shape() {
    cells_of_thread_ = patches_.cells <= most_threads ? 1 : 2;
    constexpr int warp = 32;
    threads_ = ((patches_.cells + cells_of_thread_ - 1) / cells_of_thread_ + warp - 1) / warp * warp;
    const int room = threads_ * cells_of_thread_;
    const std::size_t without = shared_layout::bytes(0, room, patches_.cells, patches_.margin);
    const std::size_t most = cuda::current_properties().shared_bytes_per_block;
    constexpr int fewest_rows = 200;
    const std::size_t row_bytes = sizeof(quartet) * quartets_of_row;
    if (threads_ > most_threads || without + fewest_rows * row_bytes > most)
      throw unavailable("does not fit on chip: " + std::to_string(patches_.cells) +
                        " cells for each multiprocessor, of which this device has " +
                        std::to_string(cuda::current_properties().multiprocessors));
    rows_held_ = std::min(most_rows_held, static_cast<int>((most - without) / row_bytes));
    shared_bytes_ = shared_layout::bytes(rows_held_, room, patches_.cells, patches_.margin);
  }

  void clear_bad() {
    const unsigned long long none = none_bad;
    bad_.upload(&none, 1);
  }

  // Plans steps from the current state for as long as their length and stimuli do not change, and
  // advances state_ to their end.
  planned plan() {
    planned p{state_, current_, {}};
    const double h = state_.h;
    const auto active = [&] { return active_stimuli(problem_.protocol, state_.t + state_.h / 2); };
    stretch& s = p.part;
    s.before = state_.accepted;
    s.h = static_cast<float>(h);
    s.active = active();
    s.first_multiple = std::floor(state_.t / state_.control.dt + 1e-6) + 1;
    s.dt = state_.control.dt;
    const auto most = std::min<long long>(most_steps, std::max(1LL, samples_.room(state_.accepted)));
    do {
      finish_attempt(state_, {0, -1});
      ++s.steps;
    } while (state_.state == ending::running && s.steps < most && state_.h == h && active() == s.active);
    s.end = state_.t;
    s.u_decay = static_cast<float>(-std::expm1(-h / 8));
    s.fca_decay = static_cast<float>(-std::expm1(-h / 2));
    return p;
  }

  void launch(stretch s) {
    if (s.steps == 0) return;
    const double h = static_cast<double>(s.h);
    if (table_h_ != h)
      cuda::launch(fit_table, (rows_of_table + 63) / 64, 64, 0, nullptr, constants_of<double>(problem_.cell),
                   h, table_.data());
    table_h_ = h;
    s.tag = tag_;
    tag_ += static_cast<unsigned>(s.steps);
    cuda::launch_resident(cells_of_thread_ == 1 ? run_stretch<1> : run_stretch<2>,
                          static_cast<unsigned>(patches_.blocks), static_cast<unsigned>(threads_),
                          shared_bytes_, nullptr, data(), s, samples_.view(), sphere_.state_at(current_),
                          sphere_.state_at(1 - current_));
    current_ = 1 - current_;
  }

  // Returns to the first step with a bad cell, if there is one, by repeating its stretch up to that step.
  void look() {
    unsigned long long bad = 0;
    bad_.download(&bad, 1);
    if (bad != none_bad) {
      const auto step = static_cast<long long>(bad >> 32U);
      const auto at = std::find_if(unseen_.begin(), unseen_.end(),
                                   [&](const planned& p) { return step < p.part.before + p.part.steps; });
      planned again = *at;
      state_ = again.before;
      current_ = again.current;
      again.part.steps = static_cast<int>(step - again.part.before);
      for (int n = 0; n < again.part.steps; ++n) finish_attempt(state_, {0, -1});
      again.part.end = state_.t;
      clear_bad();
      launch(again.part);
      finish_attempt(state_, {0, static_cast<int>(bad & 0xffffffffU)});
    }
    unseen_.clear();
    if (samples_.room(state_.accepted) < least_room) samples_.flush(state_.accepted);
  }

  tuned_data data() {
    return {sphere_.view(),
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
            bad_.data(),
            cuda::usual_patience()};
  }

  patches patches_;
  int cells_of_thread_{};
  int threads_{};
  int rows_held_{};
  std::size_t shared_bytes_{};
  cuda::buffer<ring> rings_;
  cuda::buffer<int> margin_cells_, margin_count_, recorded_first_, recorded_place_, recorded_column_;
  cuda::buffer<quartet> table_;
  double table_h_{};  // the step length of the table
  cuda::buffer<unsigned long long> boxes_, bad_;
  unsigned tag_{};
  std::vector<planned> unseen_;  // launched since the last check
  cuda::event_stopwatch clock_;
};

REPRISE_VARIANT(solver, cuda_tuned,
                {.summary = "Euler with Rush-Larsen, all steps in one launch, the sphere on chip",
                 .place = "beyond the paper",
                 .precisions = {precision::single},
                 .per_unit = cuda_tuned::work_of_step()});

}  // namespace
}  // namespace reprise::atrium
