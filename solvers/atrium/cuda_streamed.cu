// SPDX-License-Identifier: MIT
// One kernel per step of Euler with Rush-Larsen, for spheres of any size: the state streams through the chip, and
// functions of the voltage come from the table.
// Place: beyond the paper, whose kernels evaluate some 50 exponentials a cell.
// Formula: that of streamed_step.hpp.
//
// For 2,621,442 cells on an H200, 566 MB take 132 us at the copy roof of 4.3 TB/s, and 465 instructions a cell 38 us.
// Measured: 160 us, with the launch that records voltages; 173 with the table in shared memory, where fewer cells are
// under way.
#include "solvers/atrium/cuda_steps.hpp"
#include "solvers/atrium/streamed_step.hpp"

namespace reprise::atrium {
namespace {

constexpr unsigned long long none_bad = ~0ULL;
struct verdict {
  unsigned long long error_bits;  // always 0
  unsigned long long bad;         // attempt << 32 | cell of the first bad cell

  int bad_cell() const { return bad == none_bad ? -1 : static_cast<int>(bad & 0xffffffffU); }
  long long bad_attempt() const { return static_cast<long long>(bad >> 32U); }
};

__global__ void __launch_bounds__(streamed_threads, streamed_blocks)
    make_step(const __grid_constant__ sphere<float> s, const __grid_constant__ streamed_step step,
              const float* from, float* to, verdict* found) {
  const auto k = static_cast<int>(blockIdx.x * streamed_threads + threadIdx.x);
  if (static_cast<long long>(__ldcg(&found->bad) >> 32U) < step.attempt || k >= s.cells) return;
  if (!stream_cell(s, step, from, to, k))
    atomicMin(&found->bad, static_cast<unsigned long long>(step.attempt) << 32U | static_cast<unsigned>(k));
}

class cuda_streamed final : public steps_on_gpu<solver, float, verdict> {
 public:
  explicit cuda_streamed(const device& d) { cuda::use_device(d); }

  void load(const problem& p, precision) override {
    problem_ = p;
    sphere_.load(p);
    table_.forget();
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
  work per_unit() const override { return work_of_streamed_step(); }

 private:
  void sample_now() override { take_sample(); }

  outcome attempt() override {
    if (!table_.is_for(state_.h)) table_.fit(problem_.cell, state_.h);
    const unsigned active = active_stimuli(problem_.protocol, state_.t + state_.h / 2);
    const auto blocks = (static_cast<unsigned>(problem_.cells()) + streamed_threads - 1) / streamed_threads;
    cuda::launch(make_step, blocks, streamed_threads, 0, nullptr, sphere_.view(),
                 streamed_step{table_.values(), gate_span_of(state_.h), active, attempts()},
                 sphere_.state_at(current_), sphere_.state_at(1 - current_), found_.data());
    return {};
  }

  verdict look() override {
    verdict v{};
    found_.download(&v, 1);
    return v;
  }

  voltage_table table_;
  cuda::buffer<verdict> found_;
  cuda::event_stopwatch clock_;
};

REPRISE_VARIANT(solver, cuda_streamed,
                {.summary = "a kernel a step, functions of the voltage from tables",
                 .place = "beyond the paper",
                 .precisions = {precision::single},
                 .per_unit = work_of_streamed_step()});

}  // namespace
}  // namespace reprise::atrium
