// SPDX-License-Identifier: MIT
// cuSOLVER's DSgesv: factors in single precision, and refinement of the answer to double precision.
// Place: beyond the paper; a library's way to use that single precision is faster.
// Formula: P A = L U in single precision, then x += (L U)^-1 P (b - A x) until the residual is as small as double
// precision makes it. Where that does not converge, cuSOLVER factorises again in double precision.
// The call keeps no factors: a solve factorises even where the matrix is to be factorised once, and counts it.
// Singular matrices are found by getrf when the matrix is loaded, because a pivot of single precision does not tell.
#include "solvers/angiogenesis/cusolver_dense.hpp"

namespace reprise::angiogenesis {
namespace {

class cusolver_gesv final : public cusolver_dense<int> {
 public:
  explicit cusolver_gesv(const device& d) : cusolver_dense(d, in_place::no) {}

  work per_solve() const override { return dense_work(a().order, factoring::every_solve); }

 protected:
  void prepare() override {
    load_matrix();
    const int n = a().order;
    int words = 0;
    REPRISE_CUSOLVER(cusolverDnDgetrf_bufferSize, handle(), n, n, matrix_.factors(), n, &words);
    std::size_t bytes = 0;
    REPRISE_CUSOLVER(cusolverDnDSgesv_bufferSize, handle(), n, 1, nullptr, n, nullptr, nullptr, n, nullptr, n,
                     nullptr, &bytes);
    workspace_ = cuda::buffer<char>(
        std::max({bytes, static_cast<std::size_t>(words) * sizeof(double), std::size_t{1}}));
    right_ = cuda::buffer<double>(a().size());
    matrix_.copy();
    REPRISE_CUSOLVER(cusolverDnDgetrf, handle(), n, n, matrix_.factors(), n,
                     reinterpret_cast<double*>(workspace_.data()), pivots_.data(), info_.data());
    REPRISE_CUDA(cudaDeviceSynchronize());
    examine();
  }

  void factorise() override {
    if (when() == factoring::once) --effort_.factorisations;  // counted by the solves
  }

  // The matrix and the right-hand side are copied, because the call overwrites them where it does not converge.
  void substitute_there(const double* b, double* x) override {
    const int n = a().order;
    matrix_.copy();
    REPRISE_CUDA(cudaMemcpyAsync(right_.data(), b, right_.size() * sizeof(double), cudaMemcpyDeviceToDevice));
    int iterations = 0;
    REPRISE_CUSOLVER(cusolverDnDSgesv, handle(), n, 1, matrix_.factors(), n, pivots_.data(), right_.data(), n,
                     x, n, workspace_.data(), workspace_.size(), &iterations, info_.data());
    REPRISE_CUDA(cudaDeviceSynchronize());
    if (when() == factoring::once) ++effort_.factorisations;
    effort_.iterations += std::max(iterations, 0);
    charge(effort_.seconds.factorise);
  }

 private:
  cuda::buffer<char> workspace_;
  cuda::buffer<double> right_;
};

REPRISE_VARIANT(solver, cusolver_gesv,
                {.summary = "cuSOLVER's DSgesv: single precision and refinement, factorises in every solve",
                 .place = "beyond the paper",
                 .precisions = {precision::double_},
                 .per_unit = usual_dense_work(),
                 .repeats = determinism::bounded});

}  // namespace
}  // namespace reprise::angiogenesis
