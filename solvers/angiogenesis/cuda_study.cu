// SPDX-License-Identifier: MIT
// A parameter study in one launch, with the state of a member on chip for all steps.
// Place: section 6, the purpose of the paper.
// Formula: the step of imex.hpp.
// On grids of 97 to 416 nodes a warp runs a member, with its state in registers (cuda_study_warp.hpp). On other
// grids, or where a block has too little shared memory for the tables, a block runs a member, with state, tables and
// factors in shared memory. There all threads compute the right-hand side, one node each. One warp each solves C and
// I, then the first solves P (cuda_tridiagonal.hpp). All threads clip and check that all values are finite.
//
// The lower limit for 10^4 members of 100 steps with 400 nodes: a warp's step takes some 580 instructions in double
// precision, two cycles each on a quarter of a multiprocessor, which is 1.2 ms on an H200 (528 quarters, 1.9 GHz).
// Reads of shared memory take about as long, 1.4 ms, and so does the dependent chain of a step, some 2200 cycles for
// two warps per quarter. A block per member takes a chain of some 6000 cycles with four barriers per step.
#include <algorithm>
#include <limits>

#include "solvers/angiogenesis/cuda_study_warp.hpp"
#include "solvers/angiogenesis/study.hpp"

namespace reprise::angiogenesis {
namespace {

constexpr unsigned block_threads = 128;
constexpr double largest_number = std::numeric_limits<double>::max();

// A block's member, and the layout of its arrays in shared memory, each of lanes * run values.
struct member_view {
  const study_data& all;
  const angiogenesis::parameters& parameters;
  double* shared;
  int run, rows;
  double h;

  __device__ member_view(const study_data& s, double* memory)
      : all(s),
        parameters(s.with[blockIdx.x]),
        shared(memory),
        run(run_of(s.nodes)),
        rows(lanes * run),
        h(1.0 / (s.nodes - 1)) {}

  static constexpr int tables = 4;
  static constexpr int states = 2 * fields;
  static std::size_t shared_bytes(int run) {
    const int values = (states + tables) * lanes * run + study_systems * warp_factors::words(run);
    return sizeof(double) * static_cast<std::size_t>(values);
  }

  __device__ double* state(int which) const { return shared + which * fields * rows; }
  __device__ double* table(int which) const { return shared + (states + which) * rows; }
  __device__ double* tumour_factor() const { return table(0); }
  __device__ double* growth() const { return table(1); }  // a3 / (1 + a4 T)
  __device__ double* psi() const { return table(2); }     // T_x / (1 + a4 T)
  __device__ double* psi_x() const { return table(3); }
  __device__ warp_factors factors(int system) const {
    return {shared + (states + tables) * rows + system * warp_factors::words(run), run};
  }

  // Calls body(k) for each k < count that belongs to this thread.
  template <class Body>
  __device__ void for_nodes(int count, Body body) const {
    for (int k = static_cast<int>(threadIdx.x); k < count; k += static_cast<int>(blockDim.x)) body(k);
  }

  __device__ void make_tables() const {
    for_nodes(all.nodes, [&](int k) {
      const double ahead = 1 - k * h;
      const double t = exp(-ahead * ahead / parameters.eps);
      const double s = 2 * ahead / parameters.eps;
      const double divisor = 1 + parameters.a4 * t;
      tumour_factor()[k] = t;
      growth()[k] = parameters.a3 / divisor;
      psi()[k] = s * t / divisor;
      psi_x()[k] = t / divisor * (s * s / divisor - 2 / parameters.eps);
    });
  }

  // The diffusion coefficient of system 0 (C), 1 (P) or 2 (I).
  __device__ double diffusion(int system) const {
    return system == 0 ? parameters.d_c : system == 1 ? parameters.d_p : parameters.d_i;
  }
  __device__ double half_step_over_h2() const { return all.dt / 2 / (h * h); }

  // Row k of A in one system.
  __device__ row_of_three row(int system, int k) const {
    if (k >= all.nodes) return {0, 1, 0};
    const double r = half_step_over_h2() * diffusion(system);
    const double decay = system == 1 ? all.dt / 2 * parameters.k6 : 0;
    return {k == 0               ? 0
            : k == all.nodes - 1 ? -2 * r
                                 : -r,
            1 + 2 * r + decay,
            k == all.nodes - 1 ? 0
            : k == 0           ? -2 * r
                               : -r};
  }
  __device__ double coupling(int k) const { return -all.dt / 2 * parameters.k4 * tumour_factor()[k]; }
};

// A node with its neighbours. Beyond an end the neighbour is the inner one, so G is
// zero there and Lap is doubled.
struct stencil {
  int before, here, after;
  double of_slope, of_bend;  // 1 / (2 h) and 1 / h^2

  __device__ double slope(const double* u) const { return (u[after] - u[before]) * of_slope; }
  __device__ double bend(const double* u) const { return (u[before] - 2 * u[here] + u[after]) * of_bend; }
  // (f u_x)_x with f = g c, by the product rule.
  __device__ double nodal(const double* c, const double* g, const double* u) const {
    return (c[after] * g[after] - c[before] * g[before]) * of_slope * slope(u) + c[here] * g[here] * bend(u);
  }
  __device__ double nodal(const double* c, const double* u) const {
    return slope(c) * slope(u) + c[here] * bend(u);
  }
  // (f u_x)_x as a difference of fluxes. At an end the mirrored flux accounts for the
  // half cell and the closed wall.
  __device__ double conservative(double f_before, double f_here, double f_after, const double* u) const {
    return ((f_here + f_after) / 2 * (u[after] - u[here]) - (f_before + f_here) / 2 * (u[here] - u[before])) *
           of_bend;
  }
  __device__ double conservative(const double* c, const double* u) const {
    return conservative(c[before], c[here], c[after], u);
  }
};

// The contribution of taxis to the rate of C.
__device__ inline double taxis_at(const member_view& m, const stencil& at, const double* u) {
  const double* const c = u;
  const double* const i = u + 2 * m.rows;
  const double* const f = u + 3 * m.rows;
  const double* const g = m.growth();
  const double* const t = m.tumour_factor();
  if (m.all.reading == taxis::conservative)
    return m.parameters.a2 * at.conservative(c, i) - m.parameters.a1 * at.conservative(c, f) -
           at.conservative(c[at.before] * g[at.before], c[at.here] * g[at.here], c[at.after] * g[at.after],
                           t);
  const double others = m.parameters.a2 * at.nodal(c, i) - m.parameters.a1 * at.nodal(c, f);
  if (m.all.reading == taxis::nodal) return others - at.nodal(c, g, t);
  return others - m.parameters.a3 * (m.psi_x()[at.here] * c[at.here] + m.psi()[at.here] * at.slope(c));
}

// Computes B U + dt N(U) at node k.
__device__ inline void make_right_side(const member_view& m, int k, const double* u, double* right) {
  const int last = m.all.nodes - 1;
  const stencil at{k == 0 ? 1 : k - 1, k, k == last ? last - 1 : k + 1, last / 2.0, 1.0 * last * last};
  const double half = m.all.dt / 2, dt = m.all.dt;
  const double c = u[k], p = u[m.rows + k], i = u[2 * m.rows + k], f = u[3 * m.rows + k];
  const double t = m.tumour_factor()[k];
  const angiogenesis::parameters& parameters = m.parameters;
  const double loss = parameters.k3 * p * i;
  right[k] = c + half * parameters.d_c * at.bend(u) + dt * (taxis_at(m, at, u) + parameters.k1 * c * (1 - c));
  right[m.rows + k] =
      p + half * (parameters.d_p * at.bend(u + m.rows) - parameters.k6 * p + parameters.k4 * t * c) +
      dt * (parameters.k5 * t - loss);
  right[2 * m.rows + k] = i + half * parameters.d_i * at.bend(u + 2 * m.rows) - dt * loss;
  right[3 * m.rows + k] = f - dt * parameters.k2 * p * f;
}

__device__ inline void solve_in_place(const member_view& m, int system, double* x, const double* c) {
  const auto right = [&](int k) {
    return system == 1 && k < m.all.nodes ? x[k] - m.coupling(k) * c[k] : x[k];
  };
  solve_by_warp(right, m.factors(system), m.run, x);
}

// Computes max(U', 0). Returns false if the value is not finite.
__device__ inline bool clip(double& value) {
  const bool is_finite = fabs(value) <= largest_number;
  if (value < 0) value = 0;
  return is_finite;
}

__global__ void __launch_bounds__(block_threads) run_members(study_data s) {
  REPRISE_SHARED_ARRAY(int, failed, [1]);
  const member_view m(s, cuda::dynamic_shared<double>());
  const int warp = static_cast<int>(threadIdx.x) / lanes;
  double* u = m.state(0);
  double* next = m.state(1);
  if (threadIdx.x == 0) failed[0] = 0;
  m.make_tables();
  // Rows beyond the last node stay zero in both states.
  for (int f = 0; f < fields; ++f)
    m.for_nodes(m.rows, [&](int k) {
      u[f * m.rows + k] = k < s.nodes ? s.u0[f * s.nodes + k] : 0;
      next[f * m.rows + k] = 0;
    });
  if (warp < study_systems) factorise_by_warp([&](int k) { return m.row(warp, k); }, m.factors(warp), m.run);
  __syncthreads();

  int done = 0;
  for (; done < s.steps; ++done) {
    m.for_nodes(s.nodes, [&](int k) { make_right_side(m, k, u, next); });
    __syncthreads();
    if (warp == 0 || warp == 2) solve_in_place(m, warp, next + warp * m.rows, nullptr);
    __syncthreads();
    if (warp == 0) solve_in_place(m, 1, next + m.rows, next);
    __syncthreads();
    bool are_finite = true;
    m.for_nodes(s.nodes, [&](int k) {
      for (int f = 0; f < fields; ++f) are_finite = clip(next[f * m.rows + k]) && are_finite;
    });
    if (!are_finite) failed[0] = 1;
    __syncthreads();
    if (failed[0] != 0) break;
    double* const before = u;
    u = next;
    next = before;
  }

  double* const to = s.states + static_cast<long long>(blockIdx.x) * fields * s.nodes;
  for (int f = 0; f < fields; ++f)
    m.for_nodes(s.nodes, [&](int k) { to[f * s.nodes + k] = u[f * m.rows + k]; });
  if (threadIdx.x == 0) s.steps_done[blockIdx.x] = done;
}

class cuda_study final : public study_runner {
 public:
  explicit cuda_study(const device& d) { cuda::use_device(d); }

  void load(const study& s) override {
    require_sense(s);
    study_ = s;
    choose_kernel(s.nodes);
    states_ = {};
    members_ = cuda::uploaded(s.members);
    u0_ = cuda::uploaded(s.u0);
    states_ = cuda::buffer<double>(s.members.size() * s.unknowns());
    steps_done_ = cuda::buffer<int>(s.members.size());
    next_member_ = cuda::buffer<int>(1);
  }

  void run() override {
    const auto members = static_cast<unsigned>(study_.members.size());
    const study_data s{study_.nodes,       study_.steps,   static_cast<int>(members),
                       study_.reading,     study_.dt,      members_.data(),
                       u0_.data(),         states_.data(), steps_done_.data(),
                       next_member_.data()};
    if (warps_ == 0) {
      cuda::launch(run_members, members, block_threads, member_view::shared_bytes(run_of(study_.nodes)),
                   nullptr, s);
      return;
    }
    next_member_.fill_bytes(0);
    const unsigned blocks = std::min((members + warps_ - 1) / warps_, most_blocks_);
    cuda::launch(by_warp(), blocks, warps_ * lanes, warps_ * by_warp_.bytes_per_warp, nullptr, s);
  }

  study_answer answer() override {
    study_answer all{std::vector<double>(states_.size()), std::vector<int>(steps_done_.size())};
    states_.download(all.states.data(), all.states.size());
    steps_done_.download(all.steps.data(), all.steps.size());
    return all;
  }

  stopwatch& clock() override { return clock_; }
  work per_unit() const override { return study_work(); }

 private:
  // Chooses the kernel for the grid, and how many warps a block has; 0 for a block per member.
  void choose_kernel(int nodes) {
    const std::size_t most = cuda::current_properties().shared_bytes_per_block;
    by_warp_ = warp_kernel_for(nodes);
    warps_ = 0;
    if (by_warp_.bytes_per_warp > 0)
      warps_ = static_cast<unsigned>(std::min<std::size_t>(most_study_warps, most / by_warp_.bytes_per_warp));
    if (warps_ > 0) {
      most_blocks_ = static_cast<unsigned>(
          cuda::resident_blocks(by_warp(), warps_ * lanes, warps_ * by_warp_.bytes_per_warp));
      return;
    }
    // One flag is stored in addition to the arrays.
    const std::size_t bytes = member_view::shared_bytes(run_of(nodes));
    if (bytes + sizeof(double) > most)
      throw unavailable("does not fit on chip: a member of " + std::to_string(nodes) + " nodes needs " +
                        std::to_string(bytes) + " bytes of shared memory, this device gives " +
                        std::to_string(most));
  }

  warp_kernel::function by_warp() const { return by_warp_.for_reading(study_.reading); }

  study study_;
  warp_kernel by_warp_;
  unsigned warps_{}, most_blocks_{};
  cuda::buffer<parameters> members_;
  cuda::buffer<double> u0_, states_;
  cuda::buffer<int> steps_done_, next_member_;
  cuda::event_stopwatch clock_;
};

REPRISE_VARIANT(study_runner, cuda_study,
                {.summary = "a study of parameters in one launch, a warp or a block for each member",
                 .place = "section 6",
                 .precisions = {precision::double_},
                 .per_unit = study_work()});

}  // namespace
}  // namespace reprise::angiogenesis
