// SPDX-License-Identifier: MIT
// Solves the three tridiagonal systems of which the matrix consists, with one warp per system.
// Place: beyond the paper, which treats the matrix as full (section 3.2).
// Formula: see cuda_tridiagonal.hpp.
//
// C and I are solved side by side, then P, whose right-hand side depends on C. At M = 400 a lane has 13 rows.
// Each system then takes two chains of 13 multiply-adds and five shuffles, about 2 us in all. A launch and
// the two copies around it take ten times as long.
#include "solvers/angiogenesis/cuda_tridiagonal.hpp"
#include "solvers/angiogenesis/host_solver.hpp"
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

class cuda_structured final : public host_solver {
 public:
  explicit cuda_structured(const device& d) { cuda::use_device(d); }

  work per_solve() const override { return counted(static_cast<double>(a().order) / fields, when()); }
  static work counted(double nodes, factoring when) {
    const bool factorises = when == factoring::every_solve;
    return {.bytes_logical = sizeof(double) * nodes * ((factorises ? 3 * 13 : 0) + 3 * 12 + 4),
            .bytes_dram = sizeof(double) * nodes * ((factorises ? 9 : 0) + 3 * 5 + 1 + 8),
            .bytes_dram_once = 0,
            .flops = nodes * ((factorises ? 3 * 10 : 0) + 3 * 9 + 2)};
  }

 protected:
  void prepare() override {
    const structure s = read_structure(a());
    nodes_ = static_cast<int>(s.nodes);
    run_ = run_of(nodes_);
    rows_ = cuda::buffer<double>(3 * systems * s.nodes);
    coupling_ = cuda::uploaded(s.coupling);
    factors_ = cuda::buffer<double>(systems * static_cast<std::size_t>(warp_factors::words(run_)));
    work_ = cuda::buffer<double>(systems * lanes * static_cast<std::size_t>(run_));
    b_ = cuda::buffer<double>(a().size());
    x_ = cuda::buffer<double>(a().size());
    std::size_t at = 0;
    for (std::size_t f = 0; f < systems; ++f)
      for (const auto* values : {&s.rows[f].lower, &s.rows[f].diagonal, &s.rows[f].upper})
        rows_.upload(values->data(), s.nodes, s.nodes * at++);
  }

  void factorise() override {
    cuda::launch(factorise_systems, 1, block_threads, 0, nullptr, on_device());
    charge(effort_.seconds.launch);
    REPRISE_CUDA(cudaDeviceSynchronize());
    charge(effort_.seconds.factorise);
  }

  void substitute(std::span<const double> b, std::span<double> x) override {
    b_.upload(b.data(), b.size());
    charge(effort_.seconds.transfer);
    cuda::launch(solve_systems, 1, block_threads, 0, nullptr, on_device(), b_.data(), x_.data());
    charge(effort_.seconds.launch);
    REPRISE_CUDA(cudaDeviceSynchronize());
    charge(effort_.seconds.back);
    x_.download(x.data(), x.size());
    charge(effort_.seconds.transfer);
  }

 private:
  model_matrix on_device() {
    return {nodes_, run_, rows_.data(), coupling_.data(), factors_.data(), work_.data()};
  }

  int nodes_{}, run_{};
  cuda::buffer<double> rows_, coupling_, factors_, work_, b_, x_;
};

REPRISE_VARIANT(solver, cuda_structured,
                {.summary = "three tridiagonal systems, a warp each",
                 .place = "",
                 .precisions = {precision::double_},
                 .per_unit = cuda_structured::counted(400, factoring::every_solve)});

}  // namespace
}  // namespace reprise::angiogenesis
