// SPDX-License-Identifier: MIT
// cuSOLVER's getrf and getrs in double precision.
// Place: section 5.6, Table 6.
// Formula: P A = L U, stored by columns.
#include "solvers/angiogenesis/cusolver_dense.hpp"

namespace reprise::angiogenesis {
namespace {

class cusolver_lu final : public cusolver_dense<int> {
 public:
  explicit cusolver_lu(const device& d) : cusolver_dense(d, in_place::yes) {}

 protected:
  void prepare() override {
    load_matrix();
    int words = 0;
    REPRISE_CUSOLVER(cusolverDnDgetrf_bufferSize, handle(), a().order, a().order, matrix_.factors(),
                     a().order, &words);
    workspace_ = cuda::buffer<double>(static_cast<std::size_t>(std::max(words, 1)));
  }

  // A cuSOLVER call may itself wait for the device, so its time counts as factorisation.
  void factorise() override {
    const int n = a().order;
    matrix_.copy();
    REPRISE_CUSOLVER(cusolverDnDgetrf, handle(), n, n, matrix_.factors(), n, workspace_.data(),
                     pivots_.data(), info_.data());
    REPRISE_CUDA(cudaDeviceSynchronize());
    charge(effort_.seconds.factorise);
    examine();
    charge(effort_.seconds.host);
  }

  // getrs does forward and back substitution in one call.
  void substitute_there(const double*, double* x) override {
    const int n = a().order;
    REPRISE_CUSOLVER(cusolverDnDgetrs, handle(), CUBLAS_OP_N, n, 1, matrix_.factors(), n, pivots_.data(), x,
                     n, info_.data());
    REPRISE_CUDA(cudaDeviceSynchronize());
    charge(effort_.seconds.back);
  }

 private:
  cuda::buffer<double> workspace_;
};

REPRISE_VARIANT(solver, cusolver_lu,
                {.summary = "cuSOLVER's getrf and getrs",
                 .place = "section 5.6, Table 6",
                 .precisions = {precision::double_},
                 .per_unit = usual_dense_work(),
                 .repeats = determinism::bounded});

}  // namespace
}  // namespace reprise::angiogenesis
