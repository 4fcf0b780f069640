// SPDX-License-Identifier: MIT
// One kernel per stage, with all decisions on the device.
// Place: beyond the paper, which stores every argument and waits for every step.
// Formula: Algorithm 4.1 on (17) or (21); k_i hold f.
//
// A stage's kernel forms the argument where the right-hand side needs it, forcing and borders included. The
// last stage also computes the error and the new surface, and the first stage of the next attempt begins with
// the decision. The host only queues attempts and checks now and then whether the end is reached. Blocks form
// the argument and w in shared memory. Large grids under mean curvature are traversed in strips instead.
#include <optional>
#include <vector>

#include "solvers/common/cuda/cuda.hpp"
#include "solvers/curvature/border.hpp"
#include "solvers/curvature/cuda_rows.hpp"
#include "solvers/curvature/variant.hpp"

namespace reprise::curvature {
namespace {

template <class Real>
class typed final : public solver {
 public:
  explicit typed(const device& d) { cuda::use_device(d); }

  void load(const problem& p, precision) override {
    rows_.reset();
    problem_ = p;
    zeta_.emplace(p);
    rows_.emplace(p, row_range{0, p.nodes_y()}, strip_rows());
    reset(control{});
  }

  void reset(const control& c) override {
    rows_->start(problem_.u0, c);
    parity_ = 0;
    state_ = at_start(c);
    current_ = 0;
  }

  merson advance(double t_end) override {
    rows_->begin(t_end, parity_);
    start_interval(state_, t_end);
    while (state_.state == ending::running) {
      const long long attempts = attempts_to_queue(state_);
      for (long long a = 0; a < attempts; ++a) queue_attempt();
      const decision now = rows_->settled(parity_);
      state_ = now.state;
      current_ = now.current;
    }
    return state_;
  }

  std::vector<double> surface() override {
    std::vector<double> values = rows_->surface(current_, {0, problem_.nodes_y()});
    impose_border(problem_, *zeta_, state_.t, values.data());
    return values;
  }

  stopwatch& clock() override { return clock_; }
  work per_unit() const override {
    return counted(problem_.flow, problem_.boundary, sizeof(Real), strip_rows());
  }

 private:
  // Grids that are too small for strips are cut into tiles.
  int strip_rows() const {
    constexpr int fewest = 4;
    const int rows = best_strip_rows(problem_, problem_.cells_y - 1);
    return problem_.flow == flow::willmore || rows < fewest ? 0 : rows;
  }

  void queue_attempt() {
    parity_ = 1 - parity_;
    const row_range inner{1, problem_.cells_y};
    for (int stage = 0; stage < stages_of_attempt; ++stage) rows_->queue(stage, parity_, {&inner, 1});
  }

  problem problem_;
  std::optional<profiles<double>> zeta_;
  std::optional<staged_rows<Real, judge::first_stage>> rows_;
  merson state_;
  int current_{};
  int parity_{};  // index of the latest attempt's decision
  cuda::event_stopwatch clock_;
};

using cuda_fused = in_either_precision<typed<float>, typed<double>>;

REPRISE_VARIANT(solver, cuda_fused,
                {.summary = "a kernel for each stage, the device decides every step",
                 .place = "beyond the paper",
                 .precisions = {precision::single, precision::double_},
                 .per_unit = counted(flow::mean_curvature, boundary::manufactured, sizeof(double))});

}  // namespace
}  // namespace reprise::curvature
