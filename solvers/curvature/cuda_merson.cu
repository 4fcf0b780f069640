// SPDX-License-Identifier: MIT
// The paper's CUDA solver: one kernel for each stage's argument, each right-hand side and the forcing; a
// reduction tree in shared memory for the error; the host decides and waits for every step.
// Place: section 4.3; the column "GTX 280" of Tables 5 to 8; Table 1.
// Formula: Algorithm 4.1 on (17) or (21). As in the listing, k_i hold f, and tau is
// applied where they are used.
// Where we differ: where the listing is wrong. We take |.| in the error, advance t only when a
// step is accepted, and use all (N1+1)(N2+1) nodes. Reads of neighbours go through the
// read-only cache instead of a texture.
#include <array>
#include <bit>
#include <string>
#include <vector>

#include "solvers/common/cuda/cuda.hpp"
#include "solvers/curvature/cuda_order.hpp"
#include "solvers/curvature/manufactured.hpp"
#include "solvers/curvature/stencil.hpp"
#include "solvers/curvature/variant.hpp"

namespace reprise::curvature {
namespace {

constexpr unsigned block_threads = 128;  // the paper's desBlockSize
constexpr int values_per_thread = 16;    // of the reduction, which is 2048 values per block

// Words per node and attempt that cross the memory bus: arguments 16, right-hand sides 10 and 15 more for w,
// forcing 10, error 4, update 5.
work counted(flow f, boundary s, double word_bytes) {
  const bool is_willmore = f == flow::willmore;
  const double forcing = s == boundary::manufactured ? 10 : 0;
  return {.bytes_logical = (25 + forcing + 5 * (is_willmore ? 29 : 10)) * word_bytes,
          .bytes_dram = (25 + forcing + 5 * (is_willmore ? 5 : 2)) * word_bytes,
          .bytes_dram_once = 0,
          .flops = step_flops(f, s),
          .bytes_shared =
              sizeof(unsigned long long) * tree_words(block_threads, 1.0 * block_threads * values_per_thread),
          .functions = s == boundary::manufactured ? 5. * 2 : 0};
}

template <class Real>
struct mesh {
  int nx, ny;  // nodes
  inverse_steps<Real> ih;
  double half_width, h_x, h_y;

  __device__ int nodes() const { return nx * ny; }
  __device__ bool is_inner(int i, int j) const { return i > 0 && i < nx - 1 && j > 0 && j < ny - 1; }
};

__device__ inline int this_node() {
  return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
}

template <class Real>
__device__ auto around(const Real* values, int node, int nx) {
  return [=](int dx, int dy) { return __ldg(values + node + dx + dy * nx); };
}

template <class Real>
__global__ void argument_2(int n, Real tau, const Real* u, const Real* k1, Real* k) {
  const int i = this_node();
  if (i < n) k[i] = u[i] + tau * (Real(1.0 / 3) * k1[i]);
}

template <class Real>
__global__ void argument_3(int n, Real tau, const Real* u, const Real* k1, const Real* k2, Real* k) {
  const int i = this_node();
  if (i < n) k[i] = u[i] + tau * (Real(1.0 / 6) * (k1[i] + k2[i]));
}

template <class Real>
__global__ void argument_4(int n, Real tau, const Real* u, const Real* k1, const Real* k3, Real* k) {
  const int i = this_node();
  if (i < n) k[i] = u[i] + tau * (Real(.125) * k1[i] + Real(.375) * k3[i]);
}

template <class Real>
__global__ void argument_5(int n, Real tau, const Real* u, const Real* k1, const Real* k3, const Real* k4,
                           Real* k) {
  const int i = this_node();
  if (i < n) k[i] = u[i] + tau * (Real(.5) * k1[i] - Real(1.5) * k3[i] + 2 * k4[i]);
}

template <class Real>
__global__ void update(int n, Real tau, Real* u, const Real* k1, const Real* k4, const Real* k5) {
  const int i = this_node();
  if (i < n) u[i] += tau / 6 * (k1[i] + 4 * k4[i] + k5[i]);
}

// One thread per border node, which sets zeta or the value of the inner neighbour.
template <class Real>
__global__ void border(mesh<Real> m, boundary at_border, Real c, Real* u) {
  const int n = this_node();
  const int around_y = 2 * m.ny;
  if (n >= around_y + 2 * m.nx) return;
  const int i = n < around_y ? (n % 2) * (m.nx - 1) : (n - around_y) / 2;
  const int j = n < around_y ? n / 2 : (n - around_y) % 2 * (m.ny - 1);
  if (at_border == boundary::manufactured) {
    const auto x = static_cast<Real>(-m.half_width + i * m.h_x);
    const auto y = static_cast<Real>(-m.half_width + j * m.h_y);
    u[i + j * m.nx] = c * profile_at(x).d[0] * profile_at(y).d[0];
  } else if (at_border == boundary::neumann) {
    const int inner_i = min(max(i, 1), m.nx - 2);
    const int inner_j = min(max(j, 1), m.ny - 2);
    u[i + j * m.nx] = u[inner_i + inner_j * m.nx];
  }
}

// The right-hand side (17), which is also w of (22).
template <class Real>
__global__ void rate_mean_curvature(mesh<Real> m, const Real* __restrict__ u, Real* __restrict__ k) {
  const int node = this_node();
  const int i = node % m.nx;
  const int j = node / m.nx;
  if (m.is_inner(i, j)) k[node] = curvature_at(around(u, node, m.nx), m.ih);
}

template <class Real>
__global__ void rate_willmore(mesh<Real> m, const Real* __restrict__ u, const Real* __restrict__ w,
                              Real* __restrict__ k) {
  const int node = this_node();
  const int i = node % m.nx;
  const int j = node / m.nx;
  if (m.is_inner(i, j)) k[node] = willmore_at(around(u, node, m.nx), around(w, node, m.nx), m.ih);
}

template <class Real, flow motion>
__global__ void forcing(mesh<Real> m, phase<Real> at, Real* k) {
  const int node = this_node();
  const int i = node % m.nx;
  const int j = node / m.nx;
  if (!m.is_inner(i, j)) return;
  const auto x = profile_at(static_cast<Real>(-m.half_width + i * m.h_x));
  const auto y = profile_at(static_cast<Real>(-m.half_width + j * m.h_y));
  k[node] += motion == flow::willmore ? forcing_willmore(x, y, at) : forcing_mean_curvature(x, y, at);
}

// Stores the block's largest value in its element of `largest`.
__device__ inline void reduce_block(unsigned long long mine, unsigned long long* largest) {
  REPRISE_SHARED_ARRAY(unsigned long long, tree, [block_threads]);
  const unsigned lane = threadIdx.x;
  tree[lane] = mine;
  __syncthreads();
  for (unsigned half = block_threads / 2; half > 0; half /= 2) {
    if (lane < half) tree[lane] = larger(tree[lane], tree[lane + half]);
    __syncthreads();
  }
  if (lane == 0) largest[blockIdx.x] = tree[0];
}

template <class Real>
__global__ void error(int n, const Real* k1, const Real* k3, const Real* k4, const Real* k5,
                      unsigned long long* largest) {
  unsigned long long mine = 0;
  int i = static_cast<int>(blockIdx.x * block_threads * values_per_thread + threadIdx.x);
  for (int v = 0; v < values_per_thread; ++v, i += static_cast<int>(block_threads))
    if (i < n) mine = larger(mine, bits_of(error_at(k1[i], k3[i], k4[i], k5[i])));
  reduce_block(mine, largest);
}

__global__ void reduce(int n, const unsigned long long* values, unsigned long long* largest) {
  unsigned long long mine = 0;
  int i = static_cast<int>(blockIdx.x * block_threads * values_per_thread + threadIdx.x);
  for (int v = 0; v < values_per_thread; ++v, i += static_cast<int>(block_threads))
    if (i < n) mine = larger(mine, values[i]);
  reduce_block(mine, largest);
}

unsigned blocks_for(int threads, unsigned per_block) {
  return (static_cast<unsigned>(threads) + per_block - 1) / per_block;
}

template <class Real>
class typed final : public solver {
 public:
  explicit typed(const device& d) { cuda::use_device(d); }

  void load(const problem& p, precision) override {
    problem_ = p;
    n_ = static_cast<int>(p.nodes());
    mesh_ = {p.nodes_x(),  p.nodes_y(), {static_cast<Real>(1 / p.h_x()), static_cast<Real>(1 / p.h_y())},
             p.half_width, p.h_x(),     p.h_y()};
    u0_.assign(p.u0.begin(), p.u0.end());
    for (auto* field : {&u_, &k_, &w_, &f_[0], &f_[1], &f_[2], &f_[3], &f_[4]}) {
      *field = cuda::buffer<Real>(p.nodes());
      field->fill_bytes(0);
    }
    const unsigned partial = blocks_for(n_, block_threads * values_per_thread);
    for (auto& largest : largest_) largest = cuda::buffer<unsigned long long>(partial);
    reset(control{});
  }

  void reset(const control& c) override {
    u_.upload(u0_.data(), u0_.size());
    k_.upload(u0_.data(), u0_.size());  // the border of a Dirichlet problem is never computed
    state_ = at_start(c);
  }

  merson advance(double t_end) override {
    integrate(
        state_, t_end, [&](double t, double tau) { return attempt(t, tau); },
        [&](double tau, double t) {
          on_nodes(update<Real>, n_, static_cast<Real>(tau), u_.data(), f_[0].data(), f_[3].data(),
                   f_[4].data());
          impose_border_at(t, u_);
        });
    return state_;
  }

  std::vector<double> surface() override {
    std::vector<Real> values(u0_.size());
    u_.download(values.data(), values.size());
    return {values.begin(), values.end()};
  }

  stopwatch& clock() override { return clock_; }
  work per_unit() const override { return counted(problem_.flow, problem_.boundary, sizeof(Real)); }

  std::vector<kernel_probe> kernels() override {
    const double word = 1.0 * n_ * sizeof(Real);
    const auto occupancy_on_nodes = [this](auto kernel) {
      return cuda::occupancy(kernel, blocks_for(n_, block_threads), block_threads, 0);
    };
    const unsigned reducing = blocks_for(n_, block_threads * values_per_thread);
    std::vector<kernel_probe> all{
        {"sums", occupancy_on_nodes(argument_5<Real>), 5 * word,
         [this] {
           on_nodes(argument_5<Real>, n_, Real(1e-9), u_.data(), f_[0].data(), f_[2].data(), f_[3].data(),
                    k_.data());
         }},
        {"error", cuda::occupancy(error<Real>, reducing, block_threads, 0), 4 * word,
         [this, reducing] {
           cuda::launch(error<Real>, reducing, block_threads, 0, nullptr, n_, f_[0].data(), f_[2].data(),
                        f_[3].data(), f_[4].data(), largest_[0].data());
         }},
        {"mean_curvature", occupancy_on_nodes(rate_mean_curvature<Real>), 2 * word,
         [this] { on_nodes(rate_mean_curvature<Real>, mesh_, u_.data(), w_.data()); }}};
    if (problem_.flow == flow::willmore)
      all.push_back({"willmore", occupancy_on_nodes(rate_willmore<Real>), 3 * word,
                     [this] { on_nodes(rate_willmore<Real>, mesh_, u_.data(), w_.data(), f_[1].data()); }});
    const auto add_forcing =
        problem_.flow == flow::willmore ? forcing<Real, flow::willmore> : forcing<Real, flow::mean_curvature>;
    all.push_back({"forcing_" + std::string(to_string(problem_.flow)), occupancy_on_nodes(add_forcing),
                   2 * word, [this, add_forcing] {
                     on_nodes(add_forcing, mesh_, phase<Real>{1, 0}, f_[1].data());
                   }});
    return all;
  }

 private:
  template <class... Parameters, class... Arguments>
  void on_nodes(void (*kernel)(Parameters...), Arguments... arguments) {
    cuda::launch(kernel, blocks_for(n_, block_threads), block_threads, 0, nullptr, arguments...);
  }

  void impose_border_at(double t, cuda::buffer<Real>& u) {
    if (problem_.boundary == boundary::dirichlet) return;
    cuda::launch(border<Real>, blocks_for(2 * (mesh_.nx + mesh_.ny), block_threads), block_threads, 0,
                 nullptr, mesh_, problem_.boundary, static_cast<Real>(phase_at(t).c), u.data());
  }

  void evaluate(double t, cuda::buffer<Real>& u, cuda::buffer<Real>& k) {
    impose_border_at(t, u);
    if (problem_.flow == flow::willmore) {
      on_nodes(rate_mean_curvature<Real>, mesh_, u.data(), w_.data());
      if (problem_.boundary == boundary::neumann) impose_border_at(t, w_);
      on_nodes(rate_willmore<Real>, mesh_, u.data(), w_.data(), k.data());
    } else {
      on_nodes(rate_mean_curvature<Real>, mesh_, u.data(), k.data());
    }
    if (problem_.boundary != boundary::manufactured) return;
    const phase<double> exact = phase_at(t);
    const phase<Real> at{static_cast<Real>(exact.c), static_cast<Real>(exact.rate)};
    on_nodes(
        problem_.flow == flow::willmore ? forcing<Real, flow::willmore> : forcing<Real, flow::mean_curvature>,
        mesh_, at, k.data());
  }

  double attempt(double t, double tau_exact) {
    const auto tau = static_cast<Real>(tau_exact);
    Real* const k1 = f_[0].data();
    Real* const k3 = f_[2].data();
    Real* const k4 = f_[3].data();
    evaluate(t, u_, f_[0]);
    on_nodes(argument_2<Real>, n_, tau, u_.data(), k1, k_.data());
    evaluate(t + tau_exact / 3, k_, f_[1]);
    on_nodes(argument_3<Real>, n_, tau, u_.data(), k1, f_[1].data(), k_.data());
    evaluate(t + tau_exact / 3, k_, f_[2]);
    on_nodes(argument_4<Real>, n_, tau, u_.data(), k1, k3, k_.data());
    evaluate(t + tau_exact / 2, k_, f_[3]);
    on_nodes(argument_5<Real>, n_, tau, u_.data(), k1, k3, k4, k_.data());
    evaluate(t + tau_exact, k_, f_[4]);
    return tau_exact / 3 * largest_error();
  }

  // Repeats the reduction until one value is left, which the host fetches.
  double largest_error() {
    constexpr unsigned per_block = block_threads * values_per_thread;
    unsigned left = blocks_for(n_, per_block);
    cuda::launch(error<Real>, left, block_threads, 0, nullptr, n_, f_[0].data(), f_[2].data(), f_[3].data(),
                 f_[4].data(), largest_[0].data());
    std::size_t from = 0;
    while (left > 1) {
      const auto values = static_cast<int>(left);
      left = blocks_for(values, per_block);
      cuda::launch(reduce, left, block_threads, 0, nullptr, values, largest_[from].data(),
                   largest_[1 - from].data());
      from = 1 - from;
    }
    unsigned long long bits = 0;
    largest_[from].download(&bits, 1);
    return std::bit_cast<double>(bits);
  }

  problem problem_;
  int n_{};
  mesh<Real> mesh_{};
  std::vector<Real> u0_;
  cuda::buffer<Real> u_, k_, w_;
  std::array<cuda::buffer<Real>, 5> f_;
  std::array<cuda::buffer<unsigned long long>, 2> largest_;
  merson state_;
  cuda::event_stopwatch clock_;
};

using cuda_merson = in_either_precision<typed<float>, typed<double>>;

REPRISE_VARIANT(solver, cuda_merson,
                {.summary = "a kernel for each formula, the host decides every step",
                 .place = "section 4.3, Table 1, Tables 5 to 8",
                 .precisions = {precision::single, precision::double_},
                 .per_unit = counted(flow::mean_curvature, boundary::manufactured, sizeof(double))});

}  // namespace
}  // namespace reprise::curvature
