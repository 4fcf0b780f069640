// SPDX-License-Identifier: MIT
// One kernel per step of Euler with Rush-Larsen, for spheres of any size: the state streams through the chip, and
// functions of the voltage come from the table.
// Place: beyond the paper, whose kernels evaluate some 50 exponentials a cell.
// Formula: (8) and (11). Functions of the voltage are those of cuda_table.hpp.
//
// A step reads and writes 21 variables of a cell, and reads six weights and six neighbours' numbers: 216 bytes. With
// exponentials, issue takes longer than that. With tables it is hidden: for 2,621,442 cells on an H200, 566 MB take
// 132 us at the copy roof of 4.3 TB/s, and 465 instructions a cell 38 us. State, weights and numbers pass the L1 cache
// by, which is left to the table, 400 bytes for each half millivolt, and to the neighbours' voltages. Measured: 160 us,
// with the launch that records voltages; 173 with the table in shared memory, where fewer cells are under way.
#include "solvers/atrium/cuda_steps.hpp"
#include "solvers/atrium/tuned_cell.hpp"

namespace reprise::atrium {
namespace {

constexpr unsigned threads = 128;
constexpr int resident = 6;  // blocks per multiprocessor, in 80 registers a thread

constexpr unsigned long long none_bad = ~0ULL;
struct verdict {
  unsigned long long error_bits;  // always 0
  unsigned long long bad;         // attempt << 32 | cell of the first bad cell

  int bad_cell() const { return bad == none_bad ? -1 : static_cast<int>(bad & 0xffffffffU); }
  long long bad_attempt() const { return static_cast<long long>(bad >> 32U); }
};

struct step_of_sphere {
  const quartet* table;
  gate_span span;
  unsigned active;
  long long attempt;
};

__global__ void __launch_bounds__(64) fit_table(cell_constants<double> c, double h, quartet* table) {
  const auto row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (row < rows_of_table) fit_row(c, gate_column::decay, h, row, table + row * quartets_of_row);
}

// The rate of V due to stimuli and diffusion, (7).
__device__ float supplied_past_caches(const sphere<float>& s, const float* v, float here, unsigned active,
                                      int k) {
  float sum = 0;
#pragma unroll
  for (unsigned n = 0; n < most_stimuli; ++n)
    if (active != 0 && ((active & s.stimulated[k]) >> n & 1U) != 0) sum += s.strength[n];
#pragma unroll
  for (int slot = 0; slot < static_cast<int>(slots); ++slot) {
    const int other = __ldcg(s.neighbours + slot * s.stride + k);
    sum += __ldcg(s.weight + slot * s.stride + k) * (v[other] - here);
  }
  return sum;
}

__global__ void __launch_bounds__(threads, resident)
    make_step(const __grid_constant__ sphere<float> s, const __grid_constant__ step_of_sphere step,
              const float* from, float* to, verdict* found) {
  const auto k = static_cast<int>(blockIdx.x * threads + threadIdx.x);
  if (static_cast<long long>(__ldcg(&found->bad) >> 32U) < step.attempt || k >= s.cells) return;
  float y[variables];
  y[at_v] = from[k];
#pragma unroll
  for (int n = 1; n < static_cast<int>(variables); ++n) y[n] = __ldcg(from + n * s.stride + k);
  const table_reader table(nullptr, step.table, 0, y[at_v]);
  flows i;
  const float change = membrane_current(y, table, i) + supplied_past_caches(s, from, y[at_v], step.active, k);
  float slope[concentrations];
  concentration_slopes(y, i, slope);
  follow_gates<follow_by::decay>(y, table, i, step.span, false,
                                 [&](variable gate, float value) { y[gate] = value; });
  y[at_v] += step.span.h * change;
#pragma unroll
  for (int x = 0; x < static_cast<int>(concentrations); ++x)
    y[first_concentration + x] += step.span.h * slope[x];
#pragma unroll
  for (int n = 0; n < static_cast<int>(variables); ++n) __stcg(to + n * s.stride + k, y[n]);
  if (is_bad(y))
    atomicMin(&found->bad, static_cast<unsigned long long>(step.attempt) << 32U | static_cast<unsigned>(k));
}

class cuda_streamed final : public steps_on_gpu<solver, float, verdict> {
 public:
  explicit cuda_streamed(const device& d) { cuda::use_device(d); }

  void load(const problem& p, precision) override {
    problem_ = p;
    sphere_.load(p);
    table_ = cuda::buffer<quartet>(static_cast<std::size_t>(rows_of_table * quartets_of_row));
    table_h_ = 0;
    found_ = cuda::buffer<verdict>(1);
    reset(fixed_steps(scheme::euler, gate_rule::rush_larsen, 1));
  }

  void reset(const control& c) override {
    if (c.method != scheme::euler || c.gates != gate_rule::rush_larsen)
      throw unavailable("only Euler with Rush-Larsen streams the state once a step");
    const verdict nothing{0, none_bad};
    found_.upload(&nothing, 1);
    start(c);
    sample_now();
  }

  stopwatch& clock() override { return clock_; }
  work per_unit() const override { return work_of_step(); }

  // Functions of the voltage come from the table.
  static constexpr work work_of_step() {
    work w = counted(data_of(scheme::euler), gate_rule::rush_larsen, sizeof(float));
    w.functions = functions_of_currents + functions_of_follow;
    return w;
  }

 private:
  void sample_now() override { take_sample(); }

  outcome attempt() override {
    fit(state_.h);
    const unsigned active = active_stimuli(problem_.protocol, state_.t + state_.h / 2);
    const auto blocks = (static_cast<unsigned>(problem_.cells()) + threads - 1) / threads;
    cuda::launch(make_step, blocks, threads, 0, nullptr, sphere_.view(),
                 step_of_sphere{table_.data(), gate_span_of(state_.h), active, attempts()},
                 sphere_.state_at(current_), sphere_.state_at(1 - current_), found_.data());
    return {};
  }

  void fit(double h) {
    if (table_h_ == h) return;
    cuda::launch(fit_table, (rows_of_table + 63) / 64, 64, 0, nullptr, constants_of<double>(problem_.cell), h,
                 table_.data());
    table_h_ = h;
  }

  verdict look() override {
    verdict v{};
    found_.download(&v, 1);
    return v;
  }

  cuda::buffer<quartet> table_;
  double table_h_{};  // the step length of the table
  cuda::buffer<verdict> found_;
  cuda::event_stopwatch clock_;
};

REPRISE_VARIANT(solver, cuda_streamed,
                {.summary = "a kernel a step, functions of the voltage from tables",
                 .place = "beyond the paper",
                 .precisions = {precision::single},
                 .per_unit = cuda_streamed::work_of_step()});

}  // namespace
}  // namespace reprise::atrium
