// SPDX-License-Identifier: MIT
// cuSOLVER's generic interface with 64-bit sizes, Xgetrf and Xgetrs, in double precision.
// Place: beyond the paper; what NVIDIA recommends today in place of getrf and getrs.
// Formula: P A = L U, stored by columns.
#include <cstdint>

#include "solvers/angiogenesis/cusolver_dense.hpp"

namespace reprise::angiogenesis {
namespace {

class options {
 public:
  options() { REPRISE_CUSOLVER(cusolverDnCreateParams, &get_); }
  options(const options&) = delete;
  options& operator=(const options&) = delete;
  ~options() { static_cast<void>(REPRISE_LATE(reprise::cusolver, cusolverDnDestroyParams)(get_)); }
  cusolverDnParams_t get() const { return get_; }

 private:
  cusolverDnParams_t get_{};
};

class cusolver_xgetrf final : public cusolver_dense<std::int64_t> {
 public:
  explicit cusolver_xgetrf(const device& d) : cusolver_dense(d, in_place::yes) {
    options_ = std::make_unique<options>();
  }

 protected:
  void prepare() override {
    load_matrix();
    const std::int64_t n = a().order;
    std::size_t on_device = 0, on_host = 0;
    REPRISE_CUSOLVER(cusolverDnXgetrf_bufferSize, handle(), options_->get(), n, n, CUDA_R_64F,
                     matrix_.factors(), n, CUDA_R_64F, &on_device, &on_host);
    workspace_ = cuda::buffer<char>(std::max<std::size_t>(on_device, 1));
    host_workspace_.resize(on_host);
  }

  void factorise() override {
    const std::int64_t n = a().order;
    matrix_.copy();
    REPRISE_CUSOLVER(cusolverDnXgetrf, handle(), options_->get(), n, n, CUDA_R_64F, matrix_.factors(), n,
                     pivots_.data(), CUDA_R_64F, workspace_.data(), workspace_.size(), host_workspace_.data(),
                     host_workspace_.size(), info_.data());
    REPRISE_CUDA(cudaDeviceSynchronize());
    charge(effort_.seconds.factorise);
    examine();
    charge(effort_.seconds.host);
  }

  void substitute_there(const double*, double* x) override {
    const std::int64_t n = a().order;
    REPRISE_CUSOLVER(cusolverDnXgetrs, handle(), options_->get(), CUBLAS_OP_N, n, 1, CUDA_R_64F,
                     matrix_.factors(), n, pivots_.data(), CUDA_R_64F, x, n, info_.data());
    REPRISE_CUDA(cudaDeviceSynchronize());
    charge(effort_.seconds.back);
  }

 private:
  std::unique_ptr<options> options_;
  cuda::buffer<char> workspace_;
  std::vector<char> host_workspace_;
};

REPRISE_VARIANT(solver, cusolver_xgetrf,
                {.summary = "cuSOLVER's Xgetrf and Xgetrs, the interface with 64-bit sizes",
                 .place = "beyond the paper",
                 .precisions = {precision::double_},
                 .per_unit = usual_dense_work(),
                 .repeats = determinism::bounded});

}  // namespace
}  // namespace reprise::angiogenesis
