// SPDX-License-Identifier: MIT
// cuSPARSE's gtsv2_nopivot for each of the three tridiagonal systems of which the matrix consists.
// Place: beyond the paper; what one would write for cuda_structured without a kernel that solves.
// Formula: C, then P with the right-hand side b_P - k c, where k are P's coefficients of C, then I. F is a copy.
// The call keeps no factors: a solve factorises even where the matrix is to be factorised once, and counts it.
#include <memory>

#include "solvers/angiogenesis/device_solver.hpp"
#include "solvers/angiogenesis/structure.hpp"
#include "solvers/common/cuda/cusparse.hpp"

namespace reprise::angiogenesis {
namespace {

__global__ void subtract_coupling(int nodes, const double* coupling, double* u) {
  const int k = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (k < nodes) u[nodes + k] -= coupling[k] * u[k];
}

class cusparse_tridiagonal final : public device_solver {
 public:
  explicit cusparse_tridiagonal(const device& d) : device_solver(in_place::yes) {
    cuda::use_device(d);
    library_ = std::make_unique<cusparse::library>();
  }

  work per_solve() const override { return counted(static_cast<double>(a().order) / fields); }
  static work counted(double nodes) {
    return {.bytes_logical = sizeof(double) * nodes * (3 * 10 + 4),
            .bytes_dram = sizeof(double) * nodes * (3 * 3 + 1 + 8),
            .bytes_dram_once = 0,
            .flops = nodes * (3 * 8 + 2)};
  }

 protected:
  void prepare() override {
    const structure s = read_structure(a());
    nodes_ = static_cast<int>(s.nodes);
    rows_ = cuda::uploaded(joined_rows(s));
    coupling_ = cuda::uploaded(s.coupling);
    std::size_t bytes = 0;
    const double* const r = rows_.data();
    REPRISE_CUSPARSE(cusparseDgtsv2_nopivot_bufferSizeExt, library_->get(), nodes_, 1, r, r + nodes_,
                     r + 2 * nodes_, r, nodes_, &bytes);
    workspace_ = cuda::buffer<char>(std::max<std::size_t>(bytes, 1));
  }

  void factorise() override {
    if (when() == factoring::once) --effort_.factorisations;  // counted by the solves
  }

  void substitute_there(const double*, double* x) override {
    solve_system(0, x);
    constexpr unsigned threads = 128;
    cuda::launch(subtract_coupling, (static_cast<unsigned>(nodes_) + threads - 1) / threads, threads, 0,
                 nullptr, nodes_, coupling_.data(), x);
    solve_system(1, x + nodes_);
    solve_system(2, x + 2 * nodes_);
    charge(effort_.seconds.launch);
    REPRISE_CUDA(cudaDeviceSynchronize());
    if (when() == factoring::once) ++effort_.factorisations;
    charge(effort_.seconds.factorise);
  }

 private:
  void solve_system(int system, double* x) {
    const double* const r = rows_.data() + 3 * system * nodes_;
    REPRISE_CUSPARSE(cusparseDgtsv2_nopivot, library_->get(), nodes_, 1, r, r + nodes_, r + 2 * nodes_, x,
                     nodes_, workspace_.data());
  }

  std::unique_ptr<cusparse::library> library_;
  int nodes_{};
  cuda::buffer<double> rows_, coupling_;
  cuda::buffer<char> workspace_;
};

REPRISE_VARIANT(solver, cusparse_tridiagonal,
                {.summary = "cuSPARSE's gtsv2_nopivot for three tridiagonal systems",
                 .place = "beyond the paper",
                 .precisions = {precision::double_},
                 .per_unit = cusparse_tridiagonal::counted(400)});

}  // namespace
}  // namespace reprise::angiogenesis
