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
// After the last stage the blocks send their part of the new surface together with their errors,
// as if the step were accepted. If it is rejected, f(t, u) is still known, and the first stage of
// the next attempt is skipped.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "solvers/common/cuda/cuda.hpp"
#include "solvers/common/cuda/mail.hpp"
#include "solvers/curvature/border.hpp"
#include "solvers/curvature/cuda_order.hpp"
#include "solvers/curvature/cuda_stencil.hpp"
#include "solvers/curvature/variant.hpp"

namespace reprise::curvature {
namespace {

constexpr int warp = 32;
constexpr int most_threads = 512;
// Limits the length of a launch, so that a display on the same device stays responsive.
constexpr long long attempts_of_launch = 20'000;

// The whole state crosses the memory bus once per launch. Each of five evaluations waits for the neighbours' rings; the
// errors arrive meanwhile.
work counted(flow f, boundary s, double word_bytes) {
  return {.bytes_logical = (5 * (f == flow::willmore ? 29 : 10) + 25) * word_bytes,
          .bytes_dram = 0,
          .bytes_dram_once = 2 * word_bytes,
          .flops = step_flops(f, s),
          .exchanges = 5};
}

// Words of shared memory in an attempt, per own node of a tile: arguments are formed from 13 words, written with their
// rings, and read with their neighbours, as w is; results and the new surface take nine more; the forcing is kept.
double shared_words(flow f, boundary s, int width, int height) {
  constexpr double around = 9;
  const bool is_willmore = f == flow::willmore;
  const double own = 1.0 * width * height;
  const int ring = is_willmore ? 2 : 1;
  const double with_ring = (width + 2. * ring) * (height + 2 * ring) / own;
  const double of_w = is_willmore ? (width + 2.) * (height + 2) / own * (around + 1) + around : 0;
  return 13 + 9 + 5 * (with_ring + around + of_w + (s == boundary::manufactured ? 2 : 0));
}

template <class Real>
struct tiles {
  int nx, ny;         // nodes of the grid
  int width, height;  // of a tile, in inner nodes
  inverse_steps<Real> ih;
  const profile<Real>* zeta_x;
  const profile<Real>* zeta_y;
  Real* u;
  unsigned long long* mail;    // [parity][node][words]
  unsigned long long* errors;  // [parity][block][2]
  merson* state;
  unsigned epoch;  // number of exchanges in earlier launches
  cuda::patience patience;
};

// A block's tile, and the layout of its arrays in shared memory.
template <class Real, flow motion, boundary at_border>
struct tile {
  // How far the right-hand side of a node reaches.
  static constexpr int ring = motion == flow::willmore ? 2 : 1;
  // u and its successor, k1 and its successor, k3, k2 or k4, forcing.
  static constexpr int own_fields = 7;

  const tiles<Real>& all;
  int i0, j0;         // its first own node
  int width, height;  // number of its own nodes
  int pitch;          // row length of arguments
  Real* fields;       // for own nodes only
  Real* w;

  __device__ tile(const tiles<Real>& t, Real* shared) : all(t) {
    i0 = 1 + static_cast<int>(blockIdx.x) * t.width;
    j0 = 1 + static_cast<int>(blockIdx.y) * t.height;
    width = min(t.width, t.nx - 1 - i0);
    height = min(t.height, t.ny - 1 - j0);
    pitch = t.width + 2 * ring;
    fields = shared;
    w = argument(2);
  }

  __device__ Real* own(int field) const { return fields + field * all.width * all.height; }

  // Two arguments alternate, so that one can be formed while the other may still be read.
  __device__ Real* argument(int which) const {
    return own(own_fields) + which * pitch * (all.height + 2 * ring);
  }

  static std::size_t shared_bytes(int width, int height) {
    const int with_rings = (width + 2 * ring) * (height + 2 * ring);
    const int of_w = motion == flow::willmore ? (width + 2) * (height + 2) : 0;
    return sizeof(Real) * static_cast<std::size_t>(own_fields * width * height + 2 * with_rings + of_w);
  }

  __device__ int own_nodes() const { return width * height; }

  // Index of node (column, row) of the tile in an argument; in the ring these may be negative.
  __device__ int place(int column, int row) const { return (row + ring) * pitch + column + ring; }

  __device__ unsigned long long* box(unsigned tag, int i, int j) const {
    return all.mail +
           (static_cast<long long>(tag & 1U) * all.nx * all.ny + i + static_cast<long long>(j) * all.nx) *
               cuda::mail_words<Real>;
  }

  // Stores an own node's value in the tile's argument, and sends it if a neighbouring tile needs it.
  __device__ void put(unsigned tag, Real* argument, int column, int row, Real value) const {
    argument[place(column, row)] = value;
    if (column < ring || column >= width - ring || row < ring || row >= height - ring)
      cuda::post(box(tag, i0 + column, j0 + row), tag, value);
    if (at_border == boundary::neumann) copy_to_border(argument, column, row, value);
  }

  // Each border node gets the value of its inner neighbour, and a corner that of its diagonal neighbour.
  __device__ void copy_to_border(Real* argument, int column, int row, Real value) const {
    const int i = i0 + column;
    const int j = j0 + row;
    for (int dj = j == 1 ? -1 : 0; dj <= (j == all.ny - 2 ? 1 : 0); ++dj)
      for (int di = i == 1 ? -1 : 0; di <= (i == all.nx - 2 ? 1 : 0); ++di)
        argument[place(column + di, row + dj)] = value;
  }

  // Fills the ring around the own nodes from the boundary condition and from the neighbouring tiles.
  __device__ void receive(unsigned tag, Real* argument, Real c) const {
    const int across = width + 2 * ring;
    const int beside = 2 * ring * height;
    const int nodes = beside + 2 * ring * across;
    for (int n = static_cast<int>(threadIdx.x); n < nodes; n += static_cast<int>(blockDim.x)) {
      // First the columns beside the own nodes, then the rows below and above them.
      const int m = n - beside;
      const int column =
          n < beside ? n % (2 * ring) - ring + (n % (2 * ring) < ring ? 0 : width) : m % across - ring;
      const int row = n < beside ? n / (2 * ring) : m / across - ring + (m / across < ring ? 0 : height);
      fill(tag, argument, c, column, row);
    }
  }

  __device__ void fill(unsigned tag, Real* argument, Real c, int column, int row) const {
    int i = i0 + column;
    int j = j0 + row;
    if (i < 0 || i > all.nx - 1 || j < 0 || j > all.ny - 1) return;
    Real& here = argument[place(column, row)];
    if (i == 0 || i == all.nx - 1 || j == 0 || j == all.ny - 1) {
      if (at_border == boundary::manufactured) here = c * all.zeta_x[i].d[0] * all.zeta_y[j].d[0];
      if (at_border == boundary::dirichlet) here = all.u[i + j * all.nx];
      if (at_border != boundary::neumann) return;
      i = min(max(i, 1), all.nx - 2);
      j = min(max(j, 1), all.ny - 2);
      if (i >= i0 && i < i0 + width && j >= j0 && j < j0 + height) return;  // copy_to_border() has set it
    }
    cuda::collect(box(tag, i, j), tag, here, all.patience);
  }

  __device__ auto argument_around(const Real* argument, int column, int row) const {
    return [here = argument + place(column, row), across = pitch](int dx, int dy) {
      return here[dx + dy * across];
    };
  }

  __device__ int w_place(int column, int row) const { return (row + 1) * (all.width + 2) + column + 1; }

  // Computes w at the own nodes and in one ring around them.
  __device__ void bend(const Real* argument) const {
    const int across = width + 2;
    for (int n = static_cast<int>(threadIdx.x); n < across * (height + 2);
         n += static_cast<int>(blockDim.x)) {
      int column = n % across - 1;
      int row = n / across - 1;
      Real& here = w[w_place(column, row)];
      const int i = i0 + column;
      const int j = j0 + row;
      if (i == 0 || i == all.nx - 1 || j == 0 || j == all.ny - 1) {
        if (at_border != boundary::neumann) {
          here = 0;
          continue;
        }
        column += i == 0 ? 1 : i == all.nx - 1 ? -1 : 0;
        row += j == 0 ? 1 : j == all.ny - 1 ? -1 : 0;
      }
      here = bending_at(argument_around(argument, column, row), all.ih);
    }
  }

  __device__ Real forcing(int column, int row, phase<Real> at) const {
    const profile<Real>& x = all.zeta_x[i0 + column];
    const profile<Real>& y = all.zeta_y[j0 + row];
    return motion == flow::willmore ? forcing_willmore(x, y, at) : forcing_mean_curvature(x, y, at);
  }

  // The right-hand side without forcing.
  __device__ Real rate(const Real* argument, int column, int row) const {
    if constexpr (motion == flow::willmore) {
      const auto w_around = [here = w + w_place(column, row), across = all.width + 2](int dx, int dy) {
        return here[dx + dy * across];
      };
      return willmore_bending_at(argument_around(argument, column, row), w_around, all.ih);
    } else {
      return bending_at(argument_around(argument, column, row), all.ih);
    }
  }
};

template <class Real>
__device__ void exchange(Real*& a, Real*& b) {
  Real* const former = a;
  a = b;
  b = former;
}

// The time integration's state, shared by the threads of a block.
struct agreement {
  merson state;
  bool accepted;
  phase<double> at[4];  // zeta's phase at t, t + tau/3, t + tau/2, t + tau
};

__device__ constexpr int phase_of(int stage) {
  return stage == 0 ? 0 : stage <= 2 ? 1 : stage - 1;
}

// Computed by the block's first four threads.
__device__ inline void prepare_attempt(agreement& a) {
  if (threadIdx.x >= 4) return;
  constexpr double parts[4]{0, 1.0 / 3, 1.0 / 2, 1};
  a.at[threadIdx.x] = phase_at(a.state.t + parts[threadIdx.x] * a.state.tau);
}

// Sends this block's largest error to all blocks.
__device__ inline void send_error(unsigned long long* errors, unsigned tag, unsigned long long bits) {
  REPRISE_SHARED_ARRAY(unsigned long long, of_warp, [warp]);
  const unsigned blocks = gridDim.x * gridDim.y;
  bits = largest_of_warp(bits);
  if (threadIdx.x % warp == 0) of_warp[threadIdx.x / warp] = bits;
  __syncthreads();
  if (threadIdx.x >= warp) return;
  bits = largest_of_warp(threadIdx.x < blockDim.x / warp ? of_warp[threadIdx.x] : 0);
  const unsigned self = blockIdx.x + blockIdx.y * gridDim.x;
  if (threadIdx.x == 0) cuda::post(errors + ((tag & 1U) * blocks + self) * 2, tag, magnitude_of(bits));
}

// Returns the largest error of all blocks to the block's first warp.
__device__ inline double receive_errors(const unsigned long long* errors, unsigned tag,
                                        const cuda::patience& most) {
  const unsigned blocks = gridDim.x * gridDim.y;
  unsigned long long bits = 0;
  for (unsigned block = threadIdx.x; block < blocks; block += warp) {
    double error = 0;
    cuda::collect(errors + ((tag & 1U) * blocks + block) * 2, tag, error, most);
    bits = larger(bits, bits_of(error));
  }
  return magnitude_of(largest_of_warp(bits));
}

template <class Real, flow motion, boundary at_border>
__global__ void __launch_bounds__(most_threads, 1) integrate_tiles(tiles<Real> t) {
  const tile<Real, motion, at_border> mine(t, cuda::dynamic_shared<Real>());
  // Raw memory, because variables in shared memory have no constructors.
  REPRISE_SHARED_ARRAY(double, agreed, [(sizeof(agreement) + sizeof(double) - 1) / sizeof(double)]);
  agreement& a = *reinterpret_cast<agreement*>(agreed);
  Real* u = mine.own(0);
  Real* next_u = mine.own(1);
  Real* k1 = mine.own(2);
  Real* next_k1 = mine.own(3);
  Real* const k3 = mine.own(4);
  Real* const k24 = mine.own(5);
  Real* const force = mine.own(6);
  unsigned tag = t.epoch;
  int now = 0;

  const auto for_own = [&](auto body) {
    for (int n = static_cast<int>(threadIdx.x); n < mine.own_nodes(); n += static_cast<int>(blockDim.x))
      body(n, n % mine.width, n / mine.width);
  };
  // One stage: value(n) is its argument at own node n, and take(n, rate) receives its result.
  const auto evaluate = [&](const phase<double>& exact, auto value, auto take) {
    Real* const argument = mine.argument(now);
    const phase<Real> at{static_cast<Real>(exact.c), static_cast<Real>(exact.rate)};
    now ^= 1;
    ++tag;
    for_own([&](int n, int column, int row) { mine.put(tag, argument, column, row, value(n)); });
    if constexpr (at_border == boundary::manufactured)
      for_own([&](int n, int column, int row) { force[n] = mine.forcing(column, row, at); });
    mine.receive(tag, argument, at.c);
    __syncthreads();
    if constexpr (motion == flow::willmore) {
      mine.bend(argument);
      __syncthreads();
    }
    for_own([&](int n, int column, int row) {
      const Real rate = mine.rate(argument, column, row);
      take(n, at_border == boundary::manufactured ? rate + force[n] : rate);
    });
  };

  if (threadIdx.x == 0) a.state = *t.state;
  __syncthreads();
  prepare_attempt(a);
  for_own([&](int n, int column, int row) { u[n] = t.u[mine.i0 + column + (mine.j0 + row) * t.nx]; });
  __syncthreads();
  evaluate(
      a.at[0], [&](int n) { return u[n]; }, [&](int n, Real rate) { k1[n] = rate; });

  const long long last_attempt = a.state.accepted + a.state.rejected + attempts_of_launch;
  while (a.state.state == ending::running && a.state.accepted + a.state.rejected < last_attempt) {
    const auto tau = static_cast<Real>(a.state.tau);
    evaluate(
        a.at[phase_of(1)], [&](int n) { return u[n] + tau * (Real(1.0 / 3) * k1[n]); },
        [&](int n, Real rate) { k24[n] = rate; });
    evaluate(
        a.at[phase_of(2)], [&](int n) { return u[n] + tau * (Real(1.0 / 6) * (k1[n] + k24[n])); },
        [&](int n, Real rate) { k3[n] = rate; });
    evaluate(
        a.at[phase_of(3)], [&](int n) { return u[n] + tau * (Real(.125) * k1[n] + Real(.375) * k3[n]); },
        [&](int n, Real rate) { k24[n] = rate; });
    unsigned long long error_bits = 0;
    evaluate(
        a.at[phase_of(4)],
        [&](int n) { return u[n] + tau * (Real(.5) * k1[n] - Real(1.5) * k3[n] + 2 * k24[n]); },
        [&](int n, Real rate) {
          error_bits = larger(error_bits, bits_of(error_at(k1[n], k3[n], k24[n], rate)));
          next_u[n] = u[n] + tau / 6 * (k1[n] + 4 * k24[n] + rate);
        });
    send_error(t.errors, tag, error_bits);
    const unsigned error_tag = tag;
    evaluate(
        a.at[phase_of(4)], [&](int n) { return next_u[n]; }, [&](int n, Real rate) { next_k1[n] = rate; });
    if (threadIdx.x < warp) {
      const double error = receive_errors(t.errors, error_tag, t.patience);
      if (threadIdx.x == 0) a.accepted = finish_attempt(a.state, a.state.tau / 3 * error);
      __syncwarp();
      prepare_attempt(a);
    }
    __syncthreads();
    if (a.accepted) {
      exchange(u, next_u);
      exchange(k1, next_k1);
    }
  }

  for_own([&](int n, int column, int row) { t.u[mine.i0 + column + (mine.j0 + row) * t.nx] = u[n]; });
  if (threadIdx.x == 0 && blockIdx.x == 0 && blockIdx.y == 0) *t.state = a.state;
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
    choose_kernel();
    choose_tiles();
    u_ = cuda::buffer<Real>(p.nodes());
    zeta_x_ = cuda::uploaded(zeta_->x);
    zeta_y_ = cuda::uploaded(zeta_->y);
    mail_ = cuda::buffer<unsigned long long>(2 * p.nodes() * cuda::mail_words<Real>);
    errors_ = cuda::buffer<unsigned long long>(4 * static_cast<std::size_t>(across_ * upward_));
    mail_.fill_bytes(0);
    errors_.fill_bytes(0);
    on_device_ = cuda::buffer<merson>(1);
    tiles_.nx = p.nodes_x();
    tiles_.ny = p.nodes_y();
    tiles_.ih = {static_cast<Real>(1 / p.h_x()), static_cast<Real>(1 / p.h_y())};
    tiles_.zeta_x = zeta_x_.data();
    tiles_.zeta_y = zeta_y_.data();
    tiles_.u = u_.data();
    tiles_.mail = mail_.data();
    tiles_.errors = errors_.data();
    tiles_.state = on_device_.data();
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
      on_device_.upload(&state_, 1);
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
    work w = counted(problem_.flow, problem_.boundary, sizeof(Real));
    w.bytes_shared =
        sizeof(Real) * shared_words(problem_.flow, problem_.boundary, tiles_.width, tiles_.height);
    return w;
  }

 private:
  template <flow motion, boundary at_border>
  void choose() {
    kernel_ = integrate_tiles<Real, motion, at_border>;
    bytes_of_tile_ = tile<Real, motion, at_border>::shared_bytes;
  }
  template <flow motion>
  void choose_setting() {
    switch (problem_.boundary) {
      case boundary::manufactured:
        return choose<motion, boundary::manufactured>();
      case boundary::dirichlet:
        return choose<motion, boundary::dirichlet>();
      case boundary::neumann:
        return choose<motion, boundary::neumann>();
    }
  }
  void choose_kernel() {
    problem_.flow == flow::willmore ? choose_setting<flow::willmore>()
                                    : choose_setting<flow::mean_curvature>();
  }

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
    // As many threads as the tile has own nodes, or nodes in its ring if those are more, up to the limit.
    const int ring = problem_.flow == flow::willmore ? 2 : 1;
    const int own = tiles_.width * tiles_.height;
    const int around = (tiles_.width + 2 * ring) * (tiles_.height + 2 * ring) - own;
    threads_ = std::clamp(parts(std::max(own, around), warp) * warp, 2 * warp, most_threads);
    shared_bytes_ = bytes_of_tile_(tiles_.width, tiles_.height);
    const std::size_t most_bytes = cuda::current_properties().shared_bytes_per_block - 1024;
    if (shared_bytes_ > most_bytes)
      throw unavailable("does not fit on chip: a tile of " + std::to_string(tiles_.width) + "x" +
                        std::to_string(tiles_.height) + " nodes takes " + std::to_string(shared_bytes_) +
                        " bytes of shared memory, a block has at most " + std::to_string(most_bytes));
  }

  problem problem_;
  std::optional<profiles<Real>> zeta_;
  tiles<Real> tiles_{};
  void (*kernel_)(tiles<Real>){};
  std::size_t (*bytes_of_tile_)(int, int){};
  int across_{};
  int upward_{};
  int threads_{};
  std::size_t shared_bytes_{};
  cuda::buffer<Real> u_;
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
                 .per_unit = counted(flow::mean_curvature, boundary::manufactured, sizeof(double))});

}  // namespace
}  // namespace reprise::curvature
