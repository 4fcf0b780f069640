// SPDX-License-Identifier: MIT
// The stabilised method with one kernel per stage; the host decides.
// Place: beyond the paper, whose Algorithm 4.1 takes steps at the limit of stability.
// Formula: stabilised.hpp on (17) or (21).
//
// A stage's kernel evaluates the right-hand side, forcing and borders included, and sums the next stage in place of the
// one before the last. Blocks hold the argument and w in shared memory. A launch of the same kernel gives the spectral
// radius, and one the error. The host waits twice in an attempt, however many stages it has.
#include <array>
#include <bit>
#include <optional>
#include <utility>
#include <vector>

#include "solvers/common/cuda/cuda.hpp"
#include "solvers/curvature/border.hpp"
#include "solvers/curvature/cuda_tiles.hpp"
#include "solvers/curvature/stabilised.hpp"
#include "solvers/curvature/variant.hpp"

namespace reprise::curvature {
namespace {

constexpr unsigned block_threads = tile_columns * tile_rows;

// Words of shared memory per node and evaluation: what is formed is written, nodes read what is around them.
double shared_words(flow f) {
  constexpr double around = 9;
  constexpr double nodes = block_threads;
  const int ring = reach_of(f);
  const double formed = (tile_columns + 2. * ring) * (tile_rows + 2 * ring);
  const double of_w = (tile_columns + 2.) * (tile_rows + 2);
  if (f == flow::mean_curvature) return (formed + nodes * around) / nodes;
  return (formed + of_w * (around + 1) + nodes * 2 * around) / nodes;
}

// Words per node and evaluation that cross the memory bus: reads of the last two stages, of u and of f_0, and a write
// of the stage.
work counted(flow f, boundary s) {
  constexpr double word_bytes = sizeof(double);
  return {.bytes_logical = (9 + 4) * word_bytes,
          .bytes_dram = 5 * word_bytes,
          .bytes_dram_once = 0,
          .flops = stage_flops(f, s),
          .bytes_shared = word_bytes * shared_words(f)};
}

// What a launch makes of the right-hand side f at its argument y.
enum class purpose {
  rate,    // stores f
  stage,   // stores the next stage
  error,   // stores f, and finds e
  radius,  // finds the largest change of f by a disturbance of y
};

struct launch_data {
  int nx, ny;  // nodes
  inverse_steps<double> ih;
  const profile<double>* zeta_x;
  const profile<double>* zeta_y;
  const double* u;
  const double* f0;
  const double* y;
  const double* before;  // the stage before y
  double* out;           // may be `before`
  phase<double> at;
  double tau;
  chebyshev_stage weights;
  unsigned long long* largest;
};

// y at node (i, j), with the boundary condition imposed, and disturbed to find the radius.
template <boundary at_border, purpose is>
__device__ double argument_at(const launch_data& d, int i, int j) {
  move_inside<at_border>(i, j, d.nx, d.ny);
  const bool is_border = i == 0 || i == d.nx - 1 || j == 0 || j == d.ny - 1;
  if (at_border == boundary::manufactured && is_border) return d.at.c * d.zeta_x[i].d[0] * d.zeta_y[j].d[0];
  const double y = d.y[i + j * d.nx];
  if (is != purpose::radius || is_border) return y;
  return y + ((i + j) % 2 == 0 ? disturbance : -disturbance);
}

// Stores what the launch is for, and returns the bits of what it looks for.
template <purpose is>
__device__ unsigned long long finish(const launch_data& d, int node, double rate) {
  if constexpr (is == purpose::rate) {
    d.out[node] = rate;
  } else if constexpr (is == purpose::stage) {
    const chebyshev_stage& s = d.weights;
    d.out[node] = s.mu * d.y[node] + s.nu * d.before[node] + (1 - s.mu - s.nu) * d.u[node] +
                  d.tau * (s.kappa * rate + s.gamma * d.f0[node]);
  } else if constexpr (is == purpose::error) {
    d.out[node] = rate;
    return bits_of(std::abs(.8 * (d.u[node] - d.y[node]) + .4 * d.tau * (d.f0[node] + rate)));
  } else {
    return bits_of(std::abs(rate - d.f0[node]));
  }
  return 0;
}

template <flow motion, boundary at_border, purpose is>
__global__ void __launch_bounds__(block_threads) evaluate(launch_data d) {
  constexpr int ring = reach_of(motion);
  constexpr int a_columns = tile_columns + 2 * ring;
  constexpr int a_rows = tile_rows + 2 * ring;
  REPRISE_SHARED_ARRAY(double, a, [a_rows * a_columns]);
  const int thread = static_cast<int>(threadIdx.x + threadIdx.y * tile_columns);
  const int i0 = 1 + static_cast<int>(blockIdx.x) * tile_columns;
  const int j0 = 1 + static_cast<int>(blockIdx.y) * tile_rows;
  const int i = i0 + static_cast<int>(threadIdx.x);
  const int j = j0 + static_cast<int>(threadIdx.y);
  for (int n = thread; n < a_rows * a_columns; n += static_cast<int>(block_threads))
    a[n] = argument_at<at_border, is>(d, i0 - ring + n % a_columns, j0 - ring + n / a_columns);
  __syncthreads();
  const double* const a_first = a + ring * a_columns + ring;
  double rate = 0;
  if constexpr (motion == flow::willmore) {
    rate = willmore_rate<at_border>(d, a_first, a_columns, i0, j0);
  } else {
    const double* const here = a_first + threadIdx.y * a_columns + threadIdx.x;
    rate = bending_at([here](int dx, int dy) { return here[dy * a_columns + dx]; }, d.ih);
  }
  unsigned long long found = 0;
  if (i < d.nx - 1 && j < d.ny - 1) {
    if constexpr (at_border == boundary::manufactured)
      rate += forcing_at<motion>(d.zeta_x[i], d.zeta_y[j], d.at);
    found = finish<is>(d, i + j * d.nx, rate);
  }
  if constexpr (is == purpose::error || is == purpose::radius) report_error(*d.largest, found);
}

// y_1 from u and f_0. The border is imposed where y_1 is read.
__global__ void first_stage(launch_data d) {
  const int i = 1 + static_cast<int>(blockIdx.x * tile_columns + threadIdx.x);
  const int j = 1 + static_cast<int>(blockIdx.y * tile_rows + threadIdx.y);
  if (i >= d.nx - 1 || j >= d.ny - 1) return;
  const int node = i + j * d.nx;
  d.out[node] = d.u[node] + d.tau * (d.weights.kappa * d.f0[node]);
}

class cuda_rkc final : public solver {
 public:
  explicit cuda_rkc(const device& d) { cuda::use_device(d); }

  void load(const problem& p, precision arithmetic) override {
    if (arithmetic != precision::double_)
      throw unavailable("many stages amplify rounding, so the method is built for double precision");
    problem_ = p;
    zeta_.emplace(p);
    zeta_x_ = cuda::uploaded(zeta_->x);
    zeta_y_ = cuda::uploaded(zeta_->y);
    for (auto* f : {&u_, &y_[0], &y_[1], &f0_, &f_}) *f = cuda::buffer<double>(p.nodes());
    largest_ = cuda::buffer<unsigned long long>(1);
    reset(control{});
  }

  void reset(const control& c) override {
    // All three, for the border.
    for (auto* surface : {&u_, &y_[0], &y_[1]}) surface->upload(problem_.u0.data(), problem_.u0.size());
    state_ = at_start(c);
  }

  merson advance(double t_end) override {
    integrate_stabilised(
        state_, t_end, [&](double t) { launch<purpose::rate>(on(t, u_, f0_)); },
        [&](double t) { return largest_of<purpose::radius>(on(t, u_, f_)) / disturbance; },
        [&](double t, double tau, int stages) { return attempt(t, tau, stages); },
        [&](double) {
          std::swap(u_, y_[latest_]);
          std::swap(f0_, f_);
        });
    return state_;
  }

  std::vector<double> surface() override {
    std::vector<double> values(u_.size());
    u_.download(values.data(), values.size());
    impose_border(problem_, *zeta_, state_.t, values.data());
    return values;
  }

  stopwatch& clock() override { return clock_; }
  work per_unit() const override { return counted(problem_.flow, problem_.boundary); }
  integrator method() const override { return integrator::chebyshev; }

 private:
  double attempt(double t, double tau, int stages) {
    chebyshev_stages weights(stages);
    latest_ = 0;
    launch_data d = on(t, u_, y_[0]);
    d.tau = tau;
    d.weights = weights.latest();
    cuda::launch(first_stage, blocks(), dim3(tile_columns, tile_rows), 0, nullptr, d);
    const double* before = u_.data();
    for (int stage = 2; stage <= stages; ++stage) {
      d = on(t + weights.latest().time * tau, y_[latest_], y_[1 - latest_]);
      weights.advance();
      d.tau = tau;
      d.weights = weights.latest();
      d.before = before;
      launch<purpose::stage>(d);
      before = y_[latest_].data();
      latest_ = 1 - latest_;
    }
    d = on(t + tau, y_[latest_], f_);
    d.tau = tau;
    return largest_of<purpose::error>(d);
  }

  // A launch on the surface y at time t.
  launch_data on(double t, const cuda::buffer<double>& y, cuda::buffer<double>& out) {
    return {problem_.nodes_x(),
            problem_.nodes_y(),
            {1 / problem_.h_x(), 1 / problem_.h_y()},
            zeta_x_.data(),
            zeta_y_.data(),
            u_.data(),
            f0_.data(),
            y.data(),
            nullptr,
            out.data(),
            phase_at(t),
            0,
            {},
            largest_.data()};
  }

  template <purpose is>
  double largest_of(const launch_data& d) {
    largest_.fill_bytes(0);
    launch<is>(d);
    unsigned long long bits = 0;
    largest_.download(&bits, 1);
    return std::bit_cast<double>(bits);
  }

  template <purpose is>
  void launch(const launch_data& d) {
    problem_.flow == flow::willmore ? launch_of<flow::willmore, is>(d)
                                    : launch_of<flow::mean_curvature, is>(d);
  }
  template <flow motion, purpose is>
  void launch_of(const launch_data& d) {
    switch (problem_.boundary) {
      case boundary::manufactured:
        return run(evaluate<motion, boundary::manufactured, is>, d);
      case boundary::dirichlet:
        return run(evaluate<motion, boundary::dirichlet, is>, d);
      case boundary::neumann:
        return run(evaluate<motion, boundary::neumann, is>, d);
    }
  }
  void run(void (*kernel)(launch_data), const launch_data& d) {
    cuda::launch(kernel, blocks(), dim3(tile_columns, tile_rows), 0, nullptr, d);
  }

  dim3 blocks() const {
    const auto parts = [](int whole, int part) { return static_cast<unsigned>((whole + part - 1) / part); };
    return dim3(parts(problem_.cells_x - 1, tile_columns), parts(problem_.cells_y - 1, tile_rows));
  }

  problem problem_;
  std::optional<profiles<double>> zeta_;
  cuda::buffer<profile<double>> zeta_x_, zeta_y_;
  cuda::buffer<double> u_, f0_, f_;
  std::array<cuda::buffer<double>, 2> y_;  // the last two stages
  cuda::buffer<unsigned long long> largest_;
  std::size_t latest_{};
  merson state_;
  cuda::event_stopwatch clock_;
};

REPRISE_VARIANT(solver, cuda_rkc,
                {.summary = "a stabilised method with a kernel for each stage, the host decides every step",
                 .place = "beyond the paper",
                 .precisions = {precision::double_},
                 .per_unit = counted(flow::mean_curvature, boundary::manufactured)});

}  // namespace
}  // namespace reprise::curvature
