// SPDX-License-Identifier: MIT
// A stage is one kernel: its argument is formed where the right-hand side needs it, forcing and borders
// included; the last one also takes the error and the new surface, and the first of the next attempt begins
// with the decision. The host only queues attempts and looks now and then whether the end is reached. Place:
// beyond the paper, which stores every argument and waits for every step. Formula: Algorithm 4.1 on (17) or
// (21); k_i hold f. Blocks form argument and w in shared memory; large grids under mean curvature are walked
// in strips instead.
#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "solvers/common/cuda.hpp"
#include "solvers/curvature/border.hpp"
#include "solvers/curvature/cuda_attempt.hpp"
#include "solvers/curvature/cuda_stencil.hpp"
#include "solvers/curvature/cuda_strips.hpp"
#include "solvers/curvature/variant.hpp"

namespace reprise::curvature {
namespace {

constexpr int tile_columns = 32;
constexpr int tile_rows = 8;

// Words of one node and attempt across the memory bus: each stage reads u and 0, 1, 2, 2, 3 stages and writes
// one word, k or the new surface.
work counted(flow f, setting s, double word_bytes) {
  const double reads = 5 + 8;
  return {.bytes_logical = (5 * 9 + reads + 5) * word_bytes,
          .bytes_dram = (reads + 5) * word_bytes,
          .bytes_dram_once = 0,
          .flops = step_flops(f, s)};
}

// The argument at node (i, j), right also at the border.
template <int stage, setting how, class Real>
__device__ Real argument_at(const fields<Real>& f, const inputs<Real>& in, int i, int j) {
  if constexpr (how == setting::neumann) {
    i = min(max(i, 1), f.nx - 2);
    j = min(max(j, 1), f.ny - 2);
  } else {
    i = min(max(i, 0), f.nx - 1);
    j = min(max(j, 0), f.ny - 1);
  }
  if (how == setting::manufactured && (i == 0 || i == f.nx - 1 || j == 0 || j == f.ny - 1))
    return in.at.c * f.zeta_x[i].d[0] * f.zeta_y[j].d[0];
  return argument<stage>(fetch<stage>(f, in.current, i + j * f.pitch), in.tau);
}

// (21) without forcing at the thread's node, from the argument around the block's nodes, of which `a` is the
// first. All threads of the block take part.
template <setting how, class Real>
__device__ Real willmore_rate(const fields<Real>& f, const Real* a, int a_columns, int i0, int j0) {
  constexpr int w_columns = tile_columns + 2;
  REPRISE_SHARED_ARRAY(Real, w, [(tile_rows + 2) * w_columns]);
  const int thread = static_cast<int>(threadIdx.x + threadIdx.y * tile_columns);
  for (int n = thread; n < (tile_rows + 2) * w_columns; n += tile_columns * tile_rows) {
    int column = n % w_columns - 1;
    int row = n / w_columns - 1;
    const int i = i0 + column;
    const int j = j0 + row;
    const bool is_border = i == 0 || i == f.nx - 1 || j == 0 || j == f.ny - 1;
    if (is_border && how == setting::neumann) {
      column += i == 0 ? 1 : i == f.nx - 1 ? -1 : 0;
      row += j == 0 ? 1 : j == f.ny - 1 ? -1 : 0;
    }
    const Real* const here = a + row * a_columns + column;
    w[n] = is_border && how != setting::neumann
               ? Real(0)
               : bending_at([here, a_columns](int dx, int dy) { return here[dy * a_columns + dx]; }, f.ih);
  }
  __syncthreads();
  const int column = static_cast<int>(threadIdx.x);
  const int row = static_cast<int>(threadIdx.y);
  const Real* const a_here = a + row * a_columns + column;
  const Real* const w_here = w + (row + 1) * w_columns + column + 1;
  return willmore_bending_at([a_here, a_columns](int dx, int dy) { return a_here[dy * a_columns + dx]; },
                             [w_here](int dx, int dy) { return w_here[dy * w_columns + dx]; }, f.ih);
}

// Stores a node's rate, or in the last stage the new surface; returns its error's bits.
template <int stage, class Real>
__device__ unsigned long long finish_stage(const fields<Real>& f, const inputs<Real>& in, int node,
                                           Real rate) {
  Real* const to = result_of<stage>(f, in.current) + node;
  if constexpr (stage < 4) {
    *to = rate;
    return 0;
  } else {
    const ingredients<Real> from = fetch<stage>(f, in.current, node);
    *to = advanced(from, in.tau, rate);
    return bits_of(error_at(from.k[0], from.k[1], from.k[2], rate));
  }
}

// Nodes of one thread, one above the other: two share what flows through the edge between them.
template <flow what>
constexpr int rows_of_thread = what == flow::willmore ? 1 : 2;

template <class Real, flow what, setting how, int stage>
__global__ void __launch_bounds__(tile_columns* tile_rows, what == flow::willmore ? 3 : 4)
    evaluate_tiles(fields<Real> f, int parity) {
  constexpr int rows = rows_of_thread<what>;
  constexpr int ring = what == flow::willmore ? 2 : 1;  // as far as a node's right-hand side looks
  constexpr int a_columns = tile_columns + 2 * ring;
  constexpr int a_rows = tile_rows * rows + 2 * ring;
  REPRISE_SHARED_ARRAY(Real, a, [a_rows * a_columns]);
  constexpr int threads = tile_columns * tile_rows;
  const int thread = static_cast<int>(threadIdx.x + threadIdx.y * tile_columns);
  // The first node that is the block's own, and the thread's.
  const int i0 = 1 + static_cast<int>(blockIdx.x) * tile_columns;
  const int j0 = 1 + static_cast<int>(blockIdx.y) * tile_rows * rows;
  const int i = i0 + static_cast<int>(threadIdx.x);
  const int j = j0 + static_cast<int>(threadIdx.y) * rows;
  // What never changes is read while the launch before still runs.
  const profile<Real> x = f.zeta_x[min(i, f.nx - 1)];
  profile<Real> y[rows];
#pragma unroll
  for (int r = 0; r < rows; ++r) y[r] = f.zeta_y[min(j + r, f.ny - 1)];

  cuda::wait_for_preceding();
  const inputs<Real> in = inputs_of<stage>(f, parity);
  if (is_deciding<stage>(f, parity) || !in.is_running) return;
#pragma unroll
  for (int n = thread; n < a_rows * a_columns; n += threads)
    a[n] = argument_at<stage, how>(f, in, i0 - ring + n % a_columns, j0 - ring + n / a_columns);
  Real rate[rows] = {};
  if constexpr (how == setting::manufactured)
#pragma unroll
    for (int r = 0; r < rows; ++r) rate[r] = forcing_at<what>(x, y[r], in.at);
  __syncthreads();
  const Real* const a_first = a + ring * a_columns + ring;
  if constexpr (what == flow::willmore) {
    rate[0] += willmore_rate<how>(f, a_first, a_columns, i0, j0);
  } else {
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const Real* const here = a_first + (threadIdx.y * rows + r) * a_columns + threadIdx.x;
      rate[r] += bending_at([here](int dx, int dy) { return here[dy * a_columns + dx]; }, f.ih);
    }
  }

  // Not earlier: blocks that wait here would spread unevenly over the multiprocessors.
  cuda::let_following_start();
  unsigned long long error_bits = 0;
#pragma unroll
  for (int r = 0; r < rows; ++r)
    if (i < f.nx - 1 && j + r < f.ny - 1)
      error_bits = larger(error_bits, finish_stage<stage>(f, in, i + (j + r) * f.pitch, rate[r]));
  if constexpr (stage == 4) report_error(f.decided[parity], error_bits);
}

__global__ void begin_interval(decision* d, double t_end) {
  start_interval(d->state, t_end);
  d->at[0] = phase_at(d->state.t);
}

__global__ void settle_attempt(decision* d) {
  settle(*d);
}

unsigned parts(int whole, int part) {
  return static_cast<unsigned>((whole + part - 1) / part);
}

template <class Real>
class typed final : public solver {
 public:
  explicit typed(const device& d) {
    cuda::use_device(d);
    scheduling_ = cuda::overlapped_where_possible();
  }

  void load(const problem& p, precision) override {
    problem_ = p;
    zeta_.emplace(p);
    constexpr std::size_t line = 128 / sizeof(Real);
    const std::size_t pitch = (static_cast<std::size_t>(p.nodes_x()) + line - 1) / line * line;
    for (auto* buffer : {&u_[0], &u_[1], &k1_[0], &k1_[1], &k2_, &k3_, &k4_}) {
      *buffer = cuda::buffer<Real>(pitch * static_cast<std::size_t>(p.nodes_y()));
      buffer->fill_bytes(0);  // the border of a stage is never computed
    }
    zeta_x_ = cuda::buffer<profile<Real>>(zeta_->x.size());
    zeta_y_ = cuda::buffer<profile<Real>>(zeta_->y.size());
    zeta_x_.upload(zeta_->x.data(), zeta_->x.size());
    zeta_y_.upload(zeta_->y.data(), zeta_->y.size());
    decided_ = cuda::buffer<decision>(2);
    fields_ = {p.nodes_x(),
               p.nodes_y(),
               static_cast<int>(pitch),
               {static_cast<Real>(1 / p.h_x()), static_cast<Real>(1 / p.h_y())},
               {u_[0].data(), u_[1].data()},
               {k1_[0].data(), k1_[1].data()},
               k2_.data(),
               k3_.data(),
               k4_.data(),
               zeta_x_.data(),
               zeta_y_.data(),
               decided_.data()};
    choose_strips();
    reset(control{});
  }

  void reset(const control& c) override {
    std::vector<Real> padded(u_[0].size(), Real(0));
    for_rows([&](std::size_t from, std::size_t to, std::size_t count) {
      std::copy_n(problem_.u0.begin() + static_cast<std::ptrdiff_t>(from), count,
                  padded.begin() + static_cast<std::ptrdiff_t>(to));
    });
    for (auto& u : u_) u.upload(padded.data(), padded.size());  // both, for the border
    const decision first{.state = at_start(c), .at = {}, .current = 0, .is_open = false, .largest_error = 0};
    parity_ = 0;
    decided_.upload(&first, 1);
    state_ = first.state;
    current_ = 0;
  }

  merson advance(double t_end) override {
    cuda::launch(begin_interval, 1, 1, 0, nullptr, latest(), t_end);
    start_interval(state_, t_end);
    while (state_.state == ending::running) {
      const long long attempts = attempts_to_queue();
      for (long long a = 0; a < attempts; ++a) queue_attempt();
      cuda::launch(settle_attempt, 1, 1, 0, nullptr, latest());
      decision now{};
      decided_.download(&now, 1, static_cast<std::size_t>(parity_));
      state_ = now.state;
      current_ = now.current;
    }
    return state_;
  }

  std::vector<double> surface() override {
    std::vector<Real> padded(u_[0].size());
    u_[static_cast<std::size_t>(current_)].download(padded.data(), padded.size());
    std::vector<Real> values(problem_.nodes());
    for_rows([&](std::size_t to, std::size_t from, std::size_t count) {
      std::copy_n(padded.begin() + static_cast<std::ptrdiff_t>(from), count,
                  values.begin() + static_cast<std::ptrdiff_t>(to));
    });
    impose_border(problem_, *zeta_, state_.t, values.data());
    return {values.begin(), values.end()};
  }

  stopwatch& clock() override { return clock_; }
  work per_unit() const override { return counted(problem_.what, problem_.how, sizeof(Real)); }

 private:
  // Calls body(first node of the row, its place in a padded field, nodes) for every row.
  template <class Body>
  void for_rows(Body body) const {
    const auto nx = static_cast<std::size_t>(problem_.nodes_x());
    for (std::size_t j = 0; j < static_cast<std::size_t>(problem_.nodes_y()); ++j)
      body(j * nx, j * static_cast<std::size_t>(fields_.pitch), nx);
  }

  // As many as the interval will take where one in six is rejected: what is queued beyond the end costs time
  // for nothing, and so does looking too early.
  long long attempts_to_queue() const {
    constexpr double most = 256;
    return static_cast<long long>(
        std::clamp(std::ceil(1.1 * (state_.t_end - state_.t) / state_.tau), 1.0, most));
  }

  // High strips share more between their rows, low ones are more: as low as lets all blocks run at once. A
  // grid too small for that is better cut into tiles.
  void choose_strips() {
    const auto multiprocessors = static_cast<unsigned>(cuda::current_properties().multiprocessors);
    const unsigned columns = parts(problem_.cells_x - 1, strip_columns);
    const unsigned most = std::max(1U, blocks_resident * multiprocessors / columns);
    const auto rows = static_cast<int>(parts(problem_.cells_y - 1, static_cast<int>(most) * warps_of_block));
    constexpr int fewest = 4;
    constexpr int most_rows = 64;
    rows_of_strip_ = problem_.what == flow::willmore || rows < fewest ? 0 : std::min(rows, most_rows);
  }

  decision* latest() { return decided_.data() + parity_; }

  void queue_attempt() {
    parity_ = 1 - parity_;
    switch (problem_.how) {
      case setting::manufactured:
        return queue_stages<setting::manufactured>();
      case setting::dirichlet:
        return queue_stages<setting::dirichlet>();
      case setting::neumann:
        return queue_stages<setting::neumann>();
    }
  }

  template <setting how>
  void queue_stages() {
    queue_stage<how, 0>();
    queue_stage<how, 1>();
    queue_stage<how, 2>();
    queue_stage<how, 3>();
    queue_stage<how, 4>();
  }

  template <setting how, int stage>
  void queue_stage() {
    const int inner_x = problem_.cells_x - 1;
    const int inner_y = problem_.cells_y - 1;
    constexpr unsigned deciding = stage == 0 ? 1 : 0;
    if (rows_of_strip_ == 0) {
      const int tile_height =
          tile_rows * (problem_.what == flow::willmore ? rows_of_thread<flow::willmore>
                                                       : rows_of_thread<flow::mean_curvature>);
      cuda::start(scheduling_,
                  problem_.what == flow::willmore ? evaluate_tiles<Real, flow::willmore, how, stage>
                                                  : evaluate_tiles<Real, flow::mean_curvature, how, stage>,
                  dim3(parts(inner_x, tile_columns), parts(inner_y, tile_height) + deciding),
                  dim3(tile_columns, tile_rows), 0, nullptr, fields_, parity_);
    } else {
      constexpr std::size_t shared_bytes =
          sizeof(columns_of<Real>) * warps_of_block * rows_held * warp * ingredients_of<stage>;
      const auto strips = static_cast<int>(parts(inner_y, rows_of_strip_));
      cuda::start(scheduling_, evaluate_strips<Real, how, stage>,
                  dim3(parts(inner_x, strip_columns), parts(strips, warps_of_block) + deciding),
                  dim3(warp, warps_of_block), shared_bytes, nullptr, fields_, parity_, rows_of_strip_);
    }
  }

  problem problem_;
  std::optional<profiles<Real>> zeta_;
  fields<Real> fields_{};
  int rows_of_strip_{};  // 0: tiles
  cuda::scheduling scheduling_{};
  cuda::buffer<Real> u_[2], k1_[2], k2_, k3_, k4_;
  cuda::buffer<profile<Real>> zeta_x_, zeta_y_;
  cuda::buffer<decision> decided_;
  merson state_;
  int current_{};
  int parity_{};  // which of the two decisions is the latest attempt's
  cuda::event_stopwatch clock_;
};

using cuda_fused = in_either_precision<typed<float>, typed<double>>;

REPRISE_VARIANT(solver, cuda_fused,
                {.summary = "a kernel for each stage, the device decides every step",
                 .place = "beyond the paper",
                 .precisions = {precision::single, precision::double_},
                 .per_unit = counted(flow::mean_curvature, setting::manufactured, sizeof(double)),
                 .repeats = determinism::bitwise});

}  // namespace
}  // namespace reprise::curvature
