// SPDX-License-Identifier: MIT
// Solves the three tridiagonal systems of which the matrix consists, with one warp per system.
// Place: beyond the paper, which treats the matrix as full (section 3.2).
// Formula: see cuda_tridiagonal.hpp.
//
// C and I are solved side by side, then P, whose right-hand side depends on C. Up to 416 nodes one launch factorises
// and solves, with the factors in registers (cuda_fused_systems.hpp). It reads b from the host's memory and writes x
// there, without copies. Larger grids, and entries so large or small that their rough inverse is not usable, take the
// general kernels below, with factors in memory and copies of b and x.
//
// At M = 400 a lane has 13 rows. The chain is 13 inverses and five reductions, then two chains of 13 multiply-adds
// and five shuffles, twice: about 3 us. An empty launch and the wait for it take 8 us on an H200, and two copies 13.
// A solve takes 11 us there with b and x on the device, and 17 us with both on the host.
#include <algorithm>

#include "solvers/angiogenesis/cuda_fused_systems.hpp"
#include "solvers/angiogenesis/device_solver.hpp"
#include "solvers/angiogenesis/structure.hpp"

namespace reprise::angiogenesis {
namespace {

constexpr int systems = 3;
constexpr unsigned block_threads = fields * lanes;

struct model_matrix {
  int nodes, run;
  const double* rows;      // [system][lower, diagonal, upper][node]
  const double* coupling;  // [node]
  double* factors;         // [system]
  double* work;            // [system][lanes * run]

  __device__ warp_factors factors_of(int system) const {
    return {factors + static_cast<long long>(system) * warp_factors::words(run), run};
  }
  __device__ double* work_of(int system) const { return work + static_cast<long long>(system) * lanes * run; }
};

__global__ void factorise_systems(model_matrix m) {
  const int system = static_cast<int>(threadIdx.x) / lanes;
  if (system >= systems) return;
  const double* const rows = m.rows + static_cast<long long>(system) * 3 * m.nodes;
  const auto row = [&](int k) {
    if (k >= m.nodes) return row_of_three{0, 1, 0};
    return row_of_three{rows[k], rows[m.nodes + k], rows[2 * m.nodes + k]};
  };
  factorise_by_warp(row, m.factors_of(system), m.run);
}

// Copies the lanes' values to x; called by all lanes of the warp.
__device__ inline void hand_over(const double* work, int nodes, double* x) {
  __syncwarp();
  for (int k = lane_of_thread(); k < nodes; k += lanes) x[k] = work[k];
}

__global__ void solve_systems(model_matrix m, const double* b, double* x) {
  const int field = static_cast<int>(threadIdx.x) / lanes;
  const int offset = field * m.nodes;
  if (field == 0 || field == 2) {
    double* const work = m.work_of(field);
    solve_by_warp([&](int k) { return k < m.nodes ? b[offset + k] : 0; }, m.factors_of(field), m.run, work);
    hand_over(work, m.nodes, x + offset);
  } else if (field == 3) {
    hand_over(b + offset, m.nodes, x + offset);
  }
  __syncthreads();
  if (field != 1) return;
  const double* const c = m.work_of(0);
  double* const work = m.work_of(1);
  solve_by_warp([&](int k) { return k < m.nodes ? b[offset + k] - m.coupling[k] * c[k] : 0; },
                m.factors_of(1), m.run, work);
  hand_over(work, m.nodes, x + offset);
}

// Whether the rough inverses of all diagonals are usable, and the products of inverses with entries.
bool is_moderate(const structure& s) {
  constexpr double least = 0x1p-500, most = 0x1p500;
  return std::ranges::all_of(s.rows, [&](const field_rows& f) {
    return std::ranges::all_of(f.diagonal, [&](double d) { return d >= least && d <= most; });
  });
}

class cuda_structured final : public device_solver {
 public:
  explicit cuda_structured(const device& d) { cuda::use_device(d); }

  work per_solve() const override {
    work w = work_in_runs(static_cast<double>(a().order) / fields, when());
    if (is_fused()) w.bytes_shared = sizeof(double) * desk_words(fused_.run, nodes_);
    return w;
  }

 protected:
  void prepare() override {
    const structure s = read_structure(a());
    nodes_ = static_cast<int>(s.nodes);
    run_ = run_of(nodes_);
    fused_ = is_moderate(s) ? fused_kernels_for(nodes_) : fused_kernels{};
    rows_ = cuda::uploaded(joined_rows(s));
    coupling_ = cuda::uploaded(s.coupling);
    const auto words =
        static_cast<std::size_t>(is_fused() ? fused_.words * lanes : warp_factors::words(run_));
    factors_ = cuda::buffer<double>(systems * words);
    if (is_fused()) {
      host_b_ = cuda::mapped<double>(a().size());
      host_x_ = cuda::mapped<double>(a().size());
    } else {
      work_ = cuda::buffer<double>(systems * lanes * static_cast<std::size_t>(run_));
    }
  }

  // The fused kernel that solves also factorises, where every solve does.
  void factorise() override {
    if (is_fused() && when() == factoring::every_solve) return;
    if (is_fused()) {
      cuda::launch(fused_.factorise, 1, fused_systems * lanes, 0, nullptr, fused());
    } else {
      cuda::launch(factorise_systems, 1, block_threads, 0, nullptr, on_device());
    }
    charge(effort_.seconds.launch);
    REPRISE_CUDA(cudaDeviceSynchronize());
    charge(effort_.seconds.factorise);
  }

  // The fused kernel itself moves b and x across the bus, which counts as its work.
  void substitute(std::span<const double> b, std::span<double> x) override {
    if (!is_fused()) return device_solver::substitute(b, x);
    std::copy(b.begin(), b.end(), host_b_.data());
    charge(effort_.seconds.transfer);
    substitute_there(host_b_.on_device(), host_x_.on_device());
    std::copy_n(host_x_.data(), x.size(), x.begin());
    charge(effort_.seconds.transfer);
  }

  void substitute_there(const double* b, double* x) override {
    if (is_fused()) {
      cuda::launch(when() == factoring::once ? fused_.solve : fused_.factorise_and_solve, 1, fused_threads, 0,
                   nullptr, fused(), b, x);
    } else {
      cuda::launch(solve_systems, 1, block_threads, 0, nullptr, on_device(), b, x);
    }
    charge(effort_.seconds.launch);
    REPRISE_CUDA(cudaDeviceSynchronize());
    charge(effort_.seconds.back);
  }

 private:
  bool is_fused() const { return fused_.solve != nullptr; }
  fused_matrix fused() { return {nodes_, rows_.data(), coupling_.data(), factors_.data()}; }
  model_matrix on_device() {
    return {nodes_, run_, rows_.data(), coupling_.data(), factors_.data(), work_.data()};
  }

  int nodes_{}, run_{};
  fused_kernels fused_;
  cuda::buffer<double> rows_, coupling_, factors_, work_;
  cuda::mapped<double> host_b_, host_x_;
};

REPRISE_VARIANT(solver, cuda_structured,
                {.summary = "three tridiagonal systems in one launch, a warp each",
                 .place = "",
                 .precisions = {precision::double_},
                 .per_unit = work_in_runs(400, factoring::every_solve)});

}  // namespace
}  // namespace reprise::angiogenesis
