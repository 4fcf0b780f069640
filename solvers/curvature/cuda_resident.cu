// SPDX-License-Identifier: MIT
// Many steps in one launch that keeps everything on chip.
// Place: beyond the paper, for the many small steps of fourth-order flow.
// Formula: Algorithm 4.1 on (17) or (21); k_i hold f.
//
// Each block holds a tile of the grid, with its surface and stages in shared memory. Only the rings of values
// that neighbouring tiles need and each block's error leave the multiprocessor.
//
// Values travel as in solvers/common/cuda/mail.hpp. A block writes the same mailbox again two exchanges
// later. To get that far it needs its neighbours' next values, which they send only after all their threads
// have read the previous ones.
//
// While the values of a stage travel, the warps with deep nodes (cuda_resident_tile.hpp) complete it, and the others do
// what needs nothing from outside: w of inner nodes and the forcing, once for two stages at the same time.
//
// After the last stage the blocks send their part of the new surface together with their errors,
// as if the step were accepted. One warp of each block receives the errors and decides meanwhile. If the step is
// rejected, f(t, u) is still known, and the first stage of the next attempt is skipped.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "solvers/common/cuda/barrier.hpp"
#include "solvers/common/cuda/cuda.hpp"
#include "solvers/common/cuda/mail.hpp"
#include "solvers/curvature/border.hpp"
#include "solvers/curvature/cuda_order.hpp"
#include "solvers/curvature/cuda_resident_steps.hpp"
#include "solvers/curvature/cuda_resident_tile.hpp"
#include "solvers/curvature/variant.hpp"

namespace reprise::curvature {
namespace {

// In an attempt the forcing is evaluated for three times only.
constexpr double forcings = 3;

// Flops of one attempted step at one node, as step_flops() counts them.
double resident_flops(flow f, boundary s, bool keeps_shape) {
  constexpr double stages = 5;
  // w and the rate from it use the same slopes and roots where they are kept.
  constexpr double kept_twice = 43;
  double flops = step_flops(f, boundary::neumann) - (keeps_shape ? stages * kept_twice : 0);
  if (s == boundary::manufactured) {
    const double of_forcing = keeps_shape ? 17 : f == flow::willmore ? 253 : 29;
    flops += forcings * of_forcing + stages;
  }
  return flops;
}

// The whole state crosses the memory bus once per launch. Each of five evaluations waits for the neighbours' rings; the
// errors arrive meanwhile.
work counted(flow f, boundary s, double word_bytes, bool keeps_shape) {
  return {.bytes_logical = (5 * (f == flow::willmore ? 29 : 10) + 25) * word_bytes,
          .bytes_dram = 0,
          .bytes_dram_once = 2 * word_bytes,
          .flops = resident_flops(f, s, keeps_shape),
          .exchanges = 5};
}

// Words of shared memory in an attempt, per own node of a tile: arguments are formed from 13 words, written with their
// rings, and read with their neighbours, as w is; results and the new surface take nine more; the forcing is kept.
double shared_words(flow f, boundary s, int width, int height, bool keeps_shape) {
  constexpr double around = 9;
  const bool is_willmore = f == flow::willmore;
  const double own = 1.0 * width * height;
  const int ring = reach_of(f);
  const double with_ring = (width + 2. * ring) * (height + 2 * ring) / own;
  const double of_w = is_willmore ? (width + 2.) * (height + 2) / own * (around + 1) + around : 0;
  const double of_rate = keeps_shape ? 0 : around;
  const double of_forcing = 5 + forcings * (1 + (keeps_shape ? forcing_series<double>::words : 0));
  return 13 + 9 + 5 * (with_ring + of_rate + of_w) + (s == boundary::manufactured ? of_forcing : 0);
}

template <class Real>
__device__ void exchange(Real*& a, Real*& b) {
  Real* const former = a;
  a = b;
  b = former;
}

// The block's barriers of some threads.
constexpr unsigned ring_is_received = 1, inner_w_is_known = 2, w_is_known = 3, error_is_known = 4;

template <class Tile, class Real>
__device__ void integrate(const tiles<Real>& t, const Tile& mine, desk& d) {
  const worker self(mine, t.nodes_of_thread);
  mine.keep_spots();
  __syncthreads();
  const spot kept_spot = mine.spot_of(min(self.first, mine.nodes_with_rings() - 1));
  node_shape<Real> shape{};
  Real* u = mine.own(0);
  Real* next_u = mine.own(1);
  Real* k1 = mine.own(2);
  Real* next_k1 = mine.own(3);
  Real* const k3 = mine.own(4);
  Real* const k24 = mine.own(5);
  Real* const force = mine.own(6);
  unsigned tag = t.epoch;
  int now = 0;

  // The thread's nodes from `low` to `high`.
  const auto for_nodes = [&](int low, int high, auto body) {
    if constexpr (Tile::keeps_nodes) {
      if (self.first >= low && self.first < high) body(self.first, kept_spot);
    } else {
      for (int n = self.first; n < min(high, self.end); n += self.stride)
        if (n >= low) body(n, mine.spot_of(n));
    }
  };
  const auto for_own = [&](auto body) { for_nodes(0, mine.own_nodes(), body); };
  const auto bend = [&](const Real* argument, int low, int high) {
    for_nodes(low, high, [&](int, spot s) { mine.bend(argument, s, shape); });
  };
  const auto receive = [&](Real* argument, Real c) {
    const int first = static_cast<int>(threadIdx.x) - self.deep_threads;
    for (int n = mine.own_nodes() + first; n < mine.nodes_with_rings(); n += self.near_threads)
      mine.receive(tag, argument, c, mine.spot_of(n));
  };
  const auto force_at = [&](const phase<double>& exact) {
    if constexpr (Tile::is_forced) {
      const phase<Real> at{static_cast<Real>(exact.c), static_cast<Real>(exact.rate)};
      for_own([&](int n, spot s) { force[n] = mine.forcing(n, s, at); });
    }
  };
  // One stage: value(n) is its argument at own node n, and take(n, rate) receives its result. meanwhile() runs
  // while values travel.
  const auto evaluate = [&](const phase<double>& at, auto value, auto meanwhile, auto take) {
    Real* const argument = mine.argument(now);
    now ^= 1;
    ++tag;
    for_own([&](int n, spot s) { mine.put(tag, argument, s, value(n)); });
    // Without deep nodes and w, the ring's barrier is enough.
    if (Tile::has_w || self.deep_threads > 0) __syncthreads();
    meanwhile();
    if constexpr (Tile::has_w) bend(argument, 0, mine.inner_nodes());
    if (self.is_deep) {
      if constexpr (Tile::has_w) {
        cuda::arrive<w_is_known>(blockDim.x);
        cuda::meet<inner_w_is_known>(blockDim.x);
      }
    } else {
      if constexpr (Tile::has_w) cuda::arrive<inner_w_is_known>(blockDim.x);
      receive(argument, static_cast<Real>(at.c));
      cuda::meet<ring_is_received>(static_cast<unsigned>(self.near_threads));
      if constexpr (Tile::has_w) {
        bend(argument, mine.inner_nodes(), mine.bent_nodes());
        cuda::meet<w_is_known>(blockDim.x);
      }
    }
    for_own([&](int n, spot s) {
      const Real rate = mine.rate(argument, s, shape);
      take(n, Tile::is_forced ? rate + force[n] : rate);
    });
  };

  for_own([&](int n, spot s) {
    u[n] = t.u[mine.i0 + s.column + (mine.j0 + s.row) * t.nx];
    if constexpr (Tile::has_series) mine.keep_series(n, s);
  });
  const bool decides = threadIdx.x / warp == blockDim.x / warp - 1;
  if (decides) begin(d, t.start);
  __syncthreads();
  evaluate(
      d.at[0], [&](int n) { return u[n]; }, [&] { force_at(d.at[0]); },
      [&](int n, Real rate) { k1[n] = rate; });

  while (d.goes_on) {
    const auto tau = static_cast<Real>(d.state.tau);
    evaluate(
        d.at[1], [&](int n) { return u[n] + tau * (Real(1.0 / 3) * k1[n]); }, [&] { force_at(d.at[1]); },
        [&](int n, Real rate) { k24[n] = rate; });
    evaluate(
        d.at[1], [&](int n) { return u[n] + tau * (Real(1.0 / 6) * (k1[n] + k24[n])); }, [] {},
        [&](int n, Real rate) { k3[n] = rate; });
    evaluate(
        d.at[2], [&](int n) { return u[n] + tau * (Real(.125) * k1[n] + Real(.375) * k3[n]); },
        [&] { force_at(d.at[2]); }, [&](int n, Real rate) { k24[n] = rate; });
    unsigned long long error_bits = 0;
    evaluate(
        d.at[3], [&](int n) { return u[n] + tau * (Real(.5) * k1[n] - Real(1.5) * k3[n] + 2 * k24[n]); },
        [&] { force_at(d.at[3]); },
        [&](int n, Real rate) {
          error_bits = larger(error_bits, bits_of(error_at(k1[n], k3[n], k24[n], rate)));
          next_u[n] = u[n] + tau / 6 * (k1[n] + 4 * k24[n] + rate);
        });
    const unsigned error_tag = tag;
    evaluate(
        d.at[3], [&](int n) { return next_u[n]; },
        [&] {
          keep_error(d, error_bits);
          if (decides) {
            cuda::meet<error_is_known>(blockDim.x);
            send_error(d, t.errors, error_tag);
          } else {
            cuda::arrive<error_is_known>(blockDim.x);
          }
        },
        [&](int n, Real rate) { next_k1[n] = rate; });
    if (decides) decide(d, receive_errors(t.errors, error_tag, t.patience));
    __syncthreads();
    if (d.was_accepted) {
      exchange(u, next_u);
      exchange(k1, next_k1);
    }
  }

  for_own([&](int n, spot s) { t.u[mine.i0 + s.column + (mine.j0 + s.row) * t.nx] = u[n]; });
  if (threadIdx.x == 0 && blockIdx.x == 0 && blockIdx.y == 0) *t.end = d.state;
}

template <class Real, flow motion, boundary at_border, bool keeps>
__global__ void __launch_bounds__(keeps ? most_threads : most_threads_of_several_nodes, 1)
    integrate_tiles(tiles<Real> t) {
  const tile<Real, motion, at_border, keeps> mine(t, cuda::dynamic_shared<Real>());
  // Raw memory, because variables in shared memory have no constructors.
  REPRISE_SHARED_ARRAY(double, words, [(sizeof(desk) + sizeof(double) - 1) / sizeof(double)]);
  integrate(t, mine, *reinterpret_cast<desk*>(words));
}

int parts(int whole, int part) {
  return (whole + part - 1) / part;
}

template <class Real>
class typed final : public solver {
 public:
  explicit typed(const device& d) { cuda::use_device(d); }

  void load(const problem& p, precision) override {
    problem_ = p;
    zeta_.emplace(p);
    choose_tiles();
    choose_kernel();
    require_room();
    u_ = cuda::buffer<Real>(p.nodes());
    zeta_x_ = cuda::uploaded(zeta_->x);
    zeta_y_ = cuda::uploaded(zeta_->y);
    mail_ = cuda::buffer<unsigned long long>(2 * p.nodes() * cuda::mail_words<Real>);
    errors_ = cuda::buffer<unsigned long long>(4 * static_cast<std::size_t>(across_ * upward_));
    mail_.fill_bytes(0);
    errors_.fill_bytes(0);
    on_device_ = cuda::buffer<merson>(1);
    on_device_.fill_bytes(0);  // its padding is downloaded too
    tiles_.nx = p.nodes_x();
    tiles_.ny = p.nodes_y();
    tiles_.ih = {static_cast<Real>(1 / p.h_x()), static_cast<Real>(1 / p.h_y())};
    tiles_.zeta_x = zeta_x_.data();
    tiles_.zeta_y = zeta_y_.data();
    if (keeps_shape() && p.boundary == boundary::manufactured) expand_forcing_of(p);
    tiles_.u = u_.data();
    tiles_.mail = mail_.data();
    tiles_.errors = errors_.data();
    tiles_.end = on_device_.data();
    tiles_.epoch = 0;
    tiles_.patience = cuda::usual_patience();
    reset(control{});
  }

  void reset(const control& c) override {
    const std::vector<Real> u0(problem_.u0.begin(), problem_.u0.end());
    u_.upload(u0.data(), u0.size());
    state_ = at_start(c);
  }

  merson advance(double t_end) override {
    start_interval(state_, t_end);
    while (state_.state == ending::running) {
      tiles_.start = state_;
      const long long before = state_.accepted + state_.rejected;
      cuda::launch_resident(kernel_, dim3(static_cast<unsigned>(across_), static_cast<unsigned>(upward_)),
                            static_cast<unsigned>(threads_), shared_bytes_, nullptr, tiles_);
      on_device_.download(&state_, 1);
      // Five exchanges per attempt, and one at the start.
      tiles_.epoch += static_cast<unsigned>(5 * (state_.accepted + state_.rejected - before) + 1);
    }
    return state_;
  }

  std::vector<double> surface() override {
    std::vector<Real> values(problem_.nodes());
    u_.download(values.data(), values.size());
    impose_border(problem_, *zeta_, state_.t, values.data());
    return {values.begin(), values.end()};
  }

  stopwatch& clock() override { return clock_; }
  work per_unit() const override {
    work w = counted(problem_.flow, problem_.boundary, sizeof(Real), keeps_shape());
    w.bytes_shared = sizeof(Real) * shared_words(problem_.flow, problem_.boundary, tiles_.width,
                                                 tiles_.height, keeps_shape());
    return w;
  }

 private:
  // Whether threads keep their node's shape and its series of the forcing.
  bool keeps_shape() const { return keeps_ && problem_.flow == flow::willmore; }

  template <flow motion, boundary at_border, bool keeps>
  void choose() {
    kernel_ = integrate_tiles<Real, motion, at_border, keeps>;
    shared_bytes_ = tile<Real, motion, at_border, keeps>::shared_bytes(tiles_.width, tiles_.height);
  }
  template <flow motion, bool keeps>
  void choose_setting() {
    switch (problem_.boundary) {
      case boundary::manufactured:
        return choose<motion, boundary::manufactured, keeps>();
      case boundary::dirichlet:
        return choose<motion, boundary::dirichlet, keeps>();
      case boundary::neumann:
        return choose<motion, boundary::neumann, keeps>();
    }
  }
  template <bool keeps>
  void choose_flow() {
    problem_.flow == flow::willmore ? choose_setting<flow::willmore, keeps>()
                                    : choose_setting<flow::mean_curvature, keeps>();
  }
  void choose_kernel() { keeps_ ? choose_flow<true>() : choose_flow<false>(); }

  // Uses as many tiles as there are multiprocessors, or fewer if they would be smaller than a warp. Of all
  // ways to cut the grid into that many, it takes the one whose largest tile with its rings is smallest.
  void choose_tiles() {
    const int inner_x = problem_.cells_x - 1;
    const int inner_y = problem_.cells_y - 1;
    const int most = std::clamp(inner_x * inner_y / warp, 1, cuda::current_properties().multiprocessors);
    constexpr int smallest_side = 2;  // a ring must lie within the neighbouring tile
    long long best = -1;
    for (int across = 1; across <= most; ++across) {
      const int width = parts(inner_x, across);
      const int height = parts(inner_y, most / across);
      const bool is_thin =
          (across > 1 && width < smallest_side) ||
          (inner_x - (parts(inner_x, width) - 1) * width < smallest_side && width < inner_x) ||
          (most / across > 1 && height < smallest_side) ||
          (inner_y - (parts(inner_y, height) - 1) * height < smallest_side && height < inner_y);
      const long long cost = 1LL * (width + 4) * (height + 4);
      if (is_thin || (best >= 0 && cost >= best)) continue;
      best = cost;
      tiles_.width = width;
      tiles_.height = height;
    }
    if (best < 0) {
      tiles_.width = inner_x;
      tiles_.height = inner_y;
    }
    across_ = parts(inner_x, tiles_.width);
    upward_ = parts(inner_y, tiles_.height);
    // As many threads as there are nodes, or as many nodes of each thread as needed.
    const bool is_willmore = problem_.flow == flow::willmore;
    const int ring_of_w = is_willmore ? 1 : 0;
    const int nodes = (tiles_.width + 2 * ring_of_w) * (tiles_.height + 2 * ring_of_w);
    keeps_ = nodes <= most_threads;
    tiles_.nodes_of_thread = keeps_ ? 1 : parts(nodes, most_threads_of_several_nodes);
    threads_ = parts(nodes, warp * tiles_.nodes_of_thread) * warp;
  }

  void require_room() const {
    const std::size_t most_bytes = cuda::current_properties().shared_bytes_per_block - 1024;
    if (shared_bytes_ > most_bytes)
      throw unavailable("does not fit on chip: a tile of " + std::to_string(tiles_.width) + "x" +
                        std::to_string(tiles_.height) + " nodes takes " + std::to_string(shared_bytes_) +
                        " bytes of shared memory, a block has at most " + std::to_string(most_bytes));
  }

  void expand_forcing_of(const problem& p) {
    constexpr unsigned threads = 128;
    forcing_ = cuda::buffer<Real>(forcing_series<Real>::words * p.nodes());
    cuda::launch(expand_forcing<Real>, static_cast<unsigned>(parts(static_cast<int>(p.nodes()), threads)),
                 threads, 0, nullptr, zeta_x_.data(), zeta_y_.data(), p.nodes_x(), p.nodes_y(),
                 forcing_.data());
    tiles_.forcing = forcing_.data();
  }

  problem problem_;
  std::optional<profiles<Real>> zeta_;
  tiles<Real> tiles_{};
  void (*kernel_)(tiles<Real>){};
  int across_{};
  int upward_{};
  int threads_{};
  bool keeps_{};
  std::size_t shared_bytes_{};
  cuda::buffer<Real> u_, forcing_;
  cuda::buffer<profile<Real>> zeta_x_, zeta_y_;
  cuda::buffer<unsigned long long> mail_, errors_;
  cuda::buffer<merson> on_device_;
  merson state_;
  cuda::event_stopwatch clock_;
};

using cuda_resident = in_either_precision<typed<float>, typed<double>>;

REPRISE_VARIANT(solver, cuda_resident,
                {.summary = "many steps in one launch, the grid on chip",
                 .place = "beyond the paper",
                 .precisions = {precision::single, precision::double_},
                 .per_unit = counted(flow::mean_curvature, boundary::manufactured, sizeof(double), false)});

}  // namespace
}  // namespace reprise::curvature
