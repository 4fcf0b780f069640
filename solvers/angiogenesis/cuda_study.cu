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
// two warps per quarter. It takes 2.8 ms. A block per member has a chain of some 6000 cycles with four barriers per
// step, and takes 22 ms.
#include <algorithm>

#include "solvers/angiogenesis/cuda_study_member.hpp"
#include "solvers/angiogenesis/study.hpp"

namespace reprise::angiogenesis {
namespace {

constexpr unsigned block_threads = 128;

// Bytes of shared memory that a warp takes in a step of a member. Of each slot: four tables of the right-hand side and the
// tumour's factor again for P, a number per lane; and of each system three reads of factors that lanes share, which take
// a transfer each. Of each system also the reduced equations.
double shared_bytes_of_member_step(int run) {
  constexpr double of_lanes = sizeof(double) * lanes;
  return run * (5 * of_lanes + 3 * study_systems * shared_transfer_bytes) +
         study_systems * member_tables<fewest_study_run>::reduced_words * of_lanes;
}

// Exponentials of a node's tables, once for each member.
constexpr double functions_of_tables = 4;

// A block's member, with all its arrays in shared memory.
struct member_view : member_terms {
  int run;
  double* shared;

  __device__ member_view(const study_data& s, double* memory)
      : member_terms(s, static_cast<int>(blockIdx.x), memory, lanes * run_of(s.nodes)),
        run(run_of(s.nodes)),
        shared(memory + tables * rows) {}

  static constexpr int states = 2 * fields;
  static std::size_t shared_bytes(int run) {
    const int values = (states + tables) * lanes * run + study_systems * warp_factors::words(run);
    return sizeof(double) * static_cast<std::size_t>(values);
  }

  // In a step: the right-hand side of a node reads 20 numbers and stores four; rows of the three systems take 11 each, those
  // of P two more; eight are clipped. Of each system also the reduced equations.
  static double shared_bytes_of_step(int nodes) {
    const double rows = lanes * run_of(nodes);
    return sizeof(double) * ((20 + 4 + 8.) * nodes + (11. * study_systems + 2) * rows +
                             study_systems * warp_factors::words_of_lane * lanes);
  }

  __device__ double* state(int which) const { return shared + which * fields * rows; }
  __device__ warp_factors factors(int system) const {
    return {shared + states * rows + system * warp_factors::words(run), run};
  }
};

__device__ inline void solve_in_place(const member_view& m, int system, double* x, const double* c) {
  const auto right = [&](int k) {
    return system == 1 && k < m.all.nodes ? x[k] - m.coupling(k) * c[k] : x[k];
  };
  solve_by_warp(right, m.factors(system), m.run, x);
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

  study_answer answer() override { return downloaded(states_, steps_done_); }

  stopwatch& clock() override { return clock_; }
  work per_unit() const override {
    work w = study_work();
    const double of_member = warps_ > 0 ? shared_bytes_of_member_step(by_warp_.run)
                                        : member_view::shared_bytes_of_step(study_.nodes);
    w.bytes_shared = of_member / study_.nodes;
    w.functions = (warps_ > 0 ? functions_of_tables : 1) / std::max(study_.steps, 1);
    return w;
  }

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
