// SPDX-License-Identifier: MIT
// An attempt in one kernel that reads and writes the surface once; mean-curvature flow only.
// Place: beyond the paper, which stores every stage.
// Formula: Algorithm 4.1 on (17); k_i hold f.
//
// Teams of three warps walk up strips of the grid, with the stages one or two rows apart (cuda_walker.hpp). Every
// warp judges the preceding attempt for itself, so no launch is needed for that, and one of them stores the
// decision. The host only queues attempts and checks now and then whether the end is reached.
//
// Under Willmore flow, which needs two more columns and rows per stage and twice the state, the margins would
// cost more than the traffic that they save.
#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "solvers/curvature/border.hpp"
#include "solvers/curvature/controller.hpp"
#include "solvers/curvature/cuda_walker.hpp"
#include "solvers/curvature/variant.hpp"

namespace reprise::curvature {
namespace {

using namespace one_pass;

constexpr int teams_resident = 4;  // on a multiprocessor

struct square_cells {
  static constexpr bool is_square = true;
};
struct oblong_cells {
  static constexpr bool is_square = false;
};

struct decision {
  merson state;
  int current;   // index of the surface that holds u
  bool is_open;  // an attempt is under way and its error is not judged yet
};

// Two decisions alternate. Of three largest errors, one is being collected, one judged and one cleared.
struct judgement {
  decision* decided;
  unsigned long long* errors;
  int parity;  // of this attempt's decision
  int turn;    // of this attempt's error
};

// Judges the attempt that is under way, if there is one. The error is in units of e * 120 h_x / tau.
__device__ inline void settle(decision& d, unsigned long long error_bits, double h_x) {
  if (!d.is_open) return;
  d.is_open = false;
  if (finish_attempt(d.state, d.state.tau / (120 * h_x) * magnitude_of(error_bits)))
    d.current = 1 - d.current;
}

// Phases of the forcing and of the border, one per lane.
template <class Real>
__device__ void store_phase(team_memory<Real>& mine, int lane, const merson& m, double h_x) {
  const double part = lane == 0 ? 0.0 : lane == 1 ? 1.0 / 3 : lane == 2 ? .5 : 1.0;
  const phase<double> at = phase_at(m.t + part * m.tau);
  const double unit = 4 * h_x;
  mine.phases[lane] = {static_cast<Real>(at.rate * unit), static_cast<Real>(-at.c * unit),
                       static_cast<Real>(at.c * at.c), static_cast<Real>(at.c * at.c * at.c * unit)};
  mine.border_c[lane] = static_cast<Real>(at.c / h_x);
}

// The first column of a lane.
__device__ inline int first_column(int strip, int lane) {
  return 1 + strip * strip_columns - margin + lane * lane_columns;
}

// Walks with warp w of the team. Returns the lane's largest error.
template <int w, class Real, boundary at_border, class Cells>
__device__ unsigned long long walk(const fields<Real>& f, const decision& d, team_memory<Real>& mine) {
  constexpr int lowest = first_stage<w>;
  const int lane = static_cast<int>(threadIdx.x);
  const int strip = static_cast<int>(blockIdx.x) % f.strips;
  const int segment = static_cast<int>(blockIdx.x) / f.strips;
  const int rows = f.ny - 2;
  walker<Real, at_border, Cells, lowest, first_stage<w + 1> - 1> walks(mine, lane, f);
  const double theta = d.state.tau / (4 * f.h_x * f.h_x);
  walks.theta_2 = static_cast<Real>(theta / 2);
  walks.theta_3 = static_cast<Real>(theta / 3);
  walks.theta_6 = static_cast<Real>(theta / 6);
  walks.theta_8 = static_cast<Real>(theta / 8);
  walks.first = 1 + segment * (rows / f.segments) + min(segment, rows % f.segments);
  walks.last = walks.first + rows / f.segments + (segment < rows % f.segments ? 1 : 0);
  walks.i = first_column(strip, lane);
  bool has_border = false;
  bool is_own[lane_columns];
#pragma unroll
  for (int n = 0; n < lane_columns; ++n) {
    const int column = lane * lane_columns + n;
    is_own[n] = column >= margin && column < margin + strip_columns && walks.i + n < f.nx - 1;
    walks.is_own[n] = is_own[n] ? ~0U : 0U;
    has_border = has_border || walks.is_border(walks.i + n);
  }
  walks.has_border = __any_sync(all_lanes, has_border) != 0;
  walks.writes_both = is_own[0] && is_own[1];
  walks.writes_one = is_own[0] == is_own[1] ? -1 : is_own[0] ? 0 : 1;
  const int j = walks.first - margin;
  walks.from = (d.current == 0 ? f.v[0] : f.v[1]) + f.place(walks.i, j);
  walks.y_from = f.y + static_cast<std::ptrdiff_t>(j + frame_rows) * y_factors + lane * 2;
  walks.out = (d.current == 0 ? f.v[1] : f.v[0]) + f.place(walks.i, j - 1 - behind<stages - 1>);
  if constexpr (lowest == 0) {
#pragma unroll
    for (int n = 0; n < ahead; ++n) walks.request(j + n);
    // Computed while the first rows are on their way.
    if (at_border == boundary::manufactured && lane < 4) store_phase(mine, lane, d.state, f.h_x);
  }
  wait_for_team();
  walks.walk();
  return walks.error_bits;
}

// Copies the factors of the lane's columns, which never change, while the preceding launch still runs.
template <class Real>
__device__ void request_x_factors(const fields<Real>& f, team_memory<Real>& mine, int lane) {
  const int i = first_column(static_cast<int>(blockIdx.x) % f.strips, lane);
  const Real* const from = f.x + static_cast<std::ptrdiff_t>(i + frame_columns) * x_factors;
#pragma unroll
  for (int n = 0; n < lane_columns; ++n)
#pragma unroll
    for (int m = 0; m < x_factors; ++m) cuda::copy_async(&mine.x[m][lane].v[n], from + n * x_factors + m);
  cuda::close_copies();
#ifndef REPRISE_CUDA_EMULATED
  // Brings the code and the tables of phase_at into the caches.
  const phase<double> unused = phase_at(f.h_x * lane);
  asm volatile("" ::"d"(unused.c), "d"(unused.rate));
#endif
}

template <class Real, boundary at_border, class Cells>
__global__ void __launch_bounds__(warp* warps, teams_resident) attempt(fields<Real> f, judgement by) {
  auto& mine = *cuda::dynamic_shared<team_memory<Real>>();
  const int lane = static_cast<int>(threadIdx.x);
  if (at_border == boundary::manufactured && threadIdx.y == 0) request_x_factors(f, mine, lane);
  cuda::wait_for_preceding();
  decision d = by.decided[1 - by.parity];
  settle(d, by.errors[by.turn == 0 ? 2 : by.turn - 1], f.h_x);
  const bool is_running = d.state.state == ending::running;
  d.is_open = is_running;
  if (blockIdx.x == 0 && threadIdx.x == 0 && threadIdx.y == 0) {
    by.decided[by.parity] = d;
    by.errors[by.turn == 2 ? 0 : by.turn + 1] = 0;
  }
  if (!is_running) return;
  unsigned long long error_bits = 0;
  if (threadIdx.y == 2) error_bits = walk<2, Real, at_border, Cells>(f, d, mine);
  if (threadIdx.y == 1) walk<1, Real, at_border, Cells>(f, d, mine);
  if (threadIdx.y == 0) walk<0, Real, at_border, Cells>(f, d, mine);
  cuda::let_following_start();
  if (threadIdx.y + 1 < warps) return;
  error_bits = largest_of_warp(error_bits);
  if (lane == 0) atomicMax(by.errors + by.turn, error_bits);
}

__global__ void begin_interval(decision* d, double t_end) {
  start_interval(d->state, t_end);
}

__global__ void settle_attempt(decision* d, const unsigned long long* error, double h_x) {
  settle(*d, *error, h_x);
}

// The number of segments for which whole waves of teams need the least time. A segment costs the time of its rows
// and of some eleven more, in which the stages start and end.
int best_segments(int strips, int rows, int teams_at_once) {
  constexpr double filling = 11;
  constexpr int most_waves = 4;
  int best = 1;
  double least = std::numeric_limits<double>::infinity();
  for (int waves = 1; waves <= most_waves; ++waves) {
    const int segments = std::clamp(waves * teams_at_once / strips, 1, rows);
    const int needed = (strips * segments + teams_at_once - 1) / teams_at_once;
    const double time = needed * (static_cast<double>(rows) / segments + filling);
    if (time < least) {
      least = time;
      best = segments;
    }
  }
  return best;
}

// Factors of the forcing for every grid line, beginning with those of the frame, which are zero.
template <class Real>
std::vector<Real> factors_of(const std::vector<profile<double>>& lines, int frame, std::size_t held,
                             int factors) {
  std::vector<Real> all(held * static_cast<std::size_t>(factors), Real(0));
  Real* to = all.data() + static_cast<std::ptrdiff_t>(frame) * factors;
  for (const profile<double>& p : lines) {
    to[0] = static_cast<Real>(p.d[0]);
    to[1] = static_cast<Real>(p.d[2]);
    to[2] = static_cast<Real>(p.d[0] * p.d[0]);
    to[3] = static_cast<Real>(p.d[1] * p.d[1]);
    if (factors == y_factors) to[4] = 2 * to[3];
    to += factors;
  }
  return all;
}

// Both surfaces in device memory, scaled and framed.
template <class Real>
class surfaces {
 public:
  surfaces(const grid& g, const profiles<double>& zeta, int teams_at_once) : grid_(g) {
    constexpr int alignment = 16;
    const int inner_x = g.cells_x - 1;
    const int strips = (inner_x + strip_columns - 1) / strip_columns;
    const int read = frame_columns + 1 + strips * strip_columns + margin;
    pitch_ = static_cast<std::size_t>((read + alignment - 1) / alignment * alignment);
    const std::size_t rows = static_cast<std::size_t>(g.nodes_y()) + 2 * frame_rows;
    for (auto& v : v_) v = cuda::buffer<Real>(pitch_ * rows);
    x_ = cuda::uploaded(factors_of<Real>(zeta.x, frame_columns, pitch_, x_factors));
    y_ = cuda::uploaded(factors_of<Real>(zeta.y, frame_rows, rows, y_factors));
    fields_ = {.nx = g.nodes_x(),
               .ny = g.nodes_y(),
               .pitch = static_cast<int>(pitch_),
               .strips = strips,
               .segments = best_segments(strips, g.cells_y - 1, teams_at_once),
               .ratio = static_cast<Real>(g.h_x() / g.h_y()),
               .h_x = g.h_x(),
               .v = {v_[0].data(), v_[1].data()},
               .x = x_.data(),
               .y = y_.data()};
  }

  void start(const std::vector<double>& u) {
    std::vector<Real> framed(v_[0].size(), Real(0));
    for_nodes(
        [&](std::size_t node, std::size_t held) { framed[held] = static_cast<Real>(u[node] / grid_.h_x()); });
    for (auto& v : v_) v.upload(framed.data(), framed.size());
  }

  std::vector<double> surface(int index) const {
    std::vector<Real> framed(v_[index].size());
    v_[index].download(framed.data(), framed.size());
    std::vector<double> u(grid_.nodes());
    for_nodes([&](std::size_t node, std::size_t held) {
      u[node] = static_cast<double>(framed[held]) * grid_.h_x();
    });
    return u;
  }

  const fields<Real>& view() const { return fields_; }

 private:
  // Calls visit(index in the grid, index in a framed array) for each node.
  template <class Visit>
  void for_nodes(Visit visit) const {
    const auto nx = static_cast<std::size_t>(grid_.nodes_x());
    const auto ny = static_cast<std::size_t>(grid_.nodes_y());
    for (std::size_t j = 0; j < ny; ++j)
      for (std::size_t i = 0; i < nx; ++i) visit(i + nx * j, i + frame_columns + pitch_ * (j + frame_rows));
  }

  grid grid_;
  std::size_t pitch_{};
  fields<Real> fields_{};
  cuda::buffer<Real> v_[2];
  cuda::buffer<Real> x_, y_;
};

template <class Real>
class typed final : public solver {
 public:
  explicit typed(const device& d) { cuda::use_device(d); }

  void load(const problem& p, precision) override {
    if (p.flow == flow::willmore)
      throw unavailable("works for mean-curvature flow only: under Willmore flow the margins cost too much");
    surfaces_.reset();
    problem_ = p;
    zeta_.emplace(p);
    kernel_ = kernel();
    const std::size_t teams = cuda::resident_blocks(kernel_, dim3(warp, warps), sizeof(team_memory<Real>));
    if (teams == 0) throw unavailable("does not fit: this device cannot hold a team of three warps");
    surfaces_.emplace(p, *zeta_, static_cast<int>(teams));
    decided_ = cuda::buffer<decision>(2);
    decided_.fill_bytes(0);  // also what lies between the members, because whole decisions are copied
    errors_ = cuda::buffer<unsigned long long>(3);
    reset(control{});
  }

  void reset(const control& c) override {
    surfaces_->start(problem_.u0);
    state_ = at_start(c);
    current_ = 0;
    queued_ = 0;
    errors_.fill_bytes(0);
    const decision first{.state = state_, .current = current_, .is_open = false};
    decided_.upload(&first, 1);
  }

  merson advance(double t_end) override {
    cuda::launch(begin_interval, 1, 1, 0, nullptr, decided_.data() + parity(), t_end);
    start_interval(state_, t_end);
    while (state_.state == ending::running) {
      const long long attempts = attempts_to_queue(state_);
      for (long long a = 0; a < attempts; ++a) queue_attempt();
      const decision now = settled();
      state_ = now.state;
      current_ = now.current;
    }
    return state_;
  }

  std::vector<double> surface() override {
    std::vector<double> values = surfaces_->surface(current_);
    impose_border(problem_, *zeta_, state_.t, values.data());
    return values;
  }

  stopwatch& clock() override { return clock_; }
  work per_unit() const override {
    work w = counted(problem_.boundary);
    const double rows = (problem_.cells_y - 1.) / surfaces_->view().segments;
    w.bytes_shared *= (rows + 2 * margin) / rows;
    return w;
  }

  // Each surface crosses the memory bus once. Logical accesses are those of cuda_fused. Words of shared memory per column
  // that a team computes: the surface is copied and read six times; rows pass between warps twice; the rates' sums take
  // nine accesses. The forcing reads its factors of the column, stores three phases and reads them back in four stages.
  static work counted(boundary at_border) {
    constexpr double accesses = 5 * 9 + 5 + 8 + 5;
    const double shared = 1 + 6 + 4 + 9 + (at_border == boundary::manufactured ? x_factors + 3 + 4 : 0);
    return {.bytes_logical = accesses * sizeof(Real),
            .bytes_dram = 2 * sizeof(Real),
            .bytes_dram_once = 0,
            .flops = step_flops(flow::mean_curvature, at_border),
            .bytes_shared = sizeof(Real) * shared * warp * lane_columns / strip_columns};
  }

 private:
  using kernel_type = void (*)(fields<Real>, judgement);

  template <class Cells>
  kernel_type kernel_for() const {
    switch (problem_.boundary) {
      case boundary::dirichlet:
        return attempt<Real, boundary::dirichlet, Cells>;
      case boundary::neumann:
        return attempt<Real, boundary::neumann, Cells>;
      default:
        return attempt<Real, boundary::manufactured, Cells>;
    }
  }
  kernel_type kernel() const {
    return problem_.h_x() == problem_.h_y() ? kernel_for<square_cells>() : kernel_for<oblong_cells>();
  }

  int parity() const { return static_cast<int>(queued_ % 2); }
  int turn() const { return static_cast<int>(queued_ % 3); }

  void queue_attempt() {
    ++queued_;
    const fields<Real>& f = surfaces_->view();
    cuda::start(cuda::scheduling::overlapped, kernel_, static_cast<unsigned>(f.strips * f.segments),
                dim3(warp, warps), sizeof(team_memory<Real>), nullptr, f,
                judgement{decided_.data(), errors_.data(), parity(), turn()});
  }

  // The decision after the latest attempt.
  decision settled() {
    cuda::launch(settle_attempt, 1, 1, 0, nullptr, decided_.data() + parity(), errors_.data() + turn(),
                 problem_.h_x());
    decision now{};
    decided_.download(&now, 1, static_cast<std::size_t>(parity()));
    return now;
  }

  problem problem_;
  kernel_type kernel_{};
  std::optional<profiles<double>> zeta_;
  std::optional<surfaces<Real>> surfaces_;
  cuda::buffer<decision> decided_;
  cuda::buffer<unsigned long long> errors_;
  long long queued_{};
  merson state_;
  int current_{};
  cuda::event_stopwatch clock_;
};

using cuda_one_pass = in_either_precision<typed<float>, typed<double>>;

REPRISE_VARIANT(solver, cuda_one_pass,
                {.summary = "the five stages of a step in one pass over the grid",
                 .place = "beyond the paper",
                 .precisions = {precision::single, precision::double_},
                 .per_unit = typed<double>::counted(boundary::manufactured),
                 .repeats = determinism::bitwise});

}  // namespace
}  // namespace reprise::curvature
