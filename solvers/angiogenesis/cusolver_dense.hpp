// SPDX-License-Identifier: MIT
// What the variants by cuSOLVER share: its handle, the matrix on the device, and the look at the pivots.
// The matrix stays on the device. Each factorisation overwrites its input, so the matrix is copied there first. As in
// cuda_blocked, b and x are copied in each solve. The pivots are examined only once, because the same matrix always has
// the same ones.
#pragma once

#include <cusolverDn.h>

#include <memory>

#include "solvers/angiogenesis/cuda_dense.hpp"
#include "solvers/angiogenesis/device_solver.hpp"
#include "solvers/common/cuda/vendor_libraries.hpp"

namespace reprise::angiogenesis {
namespace cusolver {

inline void check(cusolverStatus_t code, const char* call,
                  std::source_location where = std::source_location::current()) {
  if (code != CUSOLVER_STATUS_SUCCESS)
    throw error(std::string(call) + " failed with status " + std::to_string(static_cast<int>(code)), where);
}

#define REPRISE_CUSOLVER(NAME, ...) \
  reprise::angiogenesis::cusolver::check(REPRISE_LATE(reprise::cusolver, NAME)(__VA_ARGS__), #NAME)

class library {
 public:
  library() { REPRISE_CUSOLVER(cusolverDnCreate, &handle_); }
  library(const library&) = delete;
  library& operator=(const library&) = delete;
  ~library() { static_cast<void>(REPRISE_LATE(reprise::cusolver, cusolverDnDestroy)(handle_)); }
  cusolverDnHandle_t get() const { return handle_; }

 private:
  cusolverDnHandle_t handle_{};
};

}  // namespace cusolver

// `Index` is the type in which the library counts rows.
template <class Index>
class cusolver_dense : public device_solver {
 public:
  cusolver_dense(const device& d, in_place how) : device_solver(how) {
    cuda::use_device(d);
    library_ = std::make_unique<cusolver::library>();
  }
  work per_solve() const override { return dense_work(a().order, when()); }

 protected:
  cusolverDnHandle_t handle() const { return library_->get(); }

  void load_matrix() {
    matrix_.load(a());
    pivots_ = cuda::buffer<Index>(a().size());
    info_ = cuda::buffer<int>(1);
    is_examined_ = false;
  }

  // Looks at the factors of the first factorisation after a load.
  void examine() {
    if (is_examined_) return;
    const std::size_t n = a().size();
    int info = 0;
    info_.download(&info, 1);
    if (info < 0) throw error("cuSOLVER was given a bad argument " + std::to_string(-info));
    std::vector<double> diagonal(n);
    REPRISE_CUDA(cudaMemcpy2D(diagonal.data(), sizeof(double), matrix_.factors(), (n + 1) * sizeof(double),
                              sizeof(double), n, cudaMemcpyDeviceToHost));
    require_pivots(matrix_.floors(), [&](std::size_t k) { return diagonal[k]; });
    std::vector<Index> pivots(n);
    pivots_.download(pivots.data(), n);
    effort_.row_swaps = 0;
    for (std::size_t k = 0; k < n; ++k) *effort_.row_swaps += pivots[k] != static_cast<Index>(k + 1) ? 1 : 0;
    is_examined_ = true;
  }

  device_matrix matrix_;
  cuda::buffer<Index> pivots_;
  cuda::buffer<int> info_;

 private:
  std::unique_ptr<cusolver::library> library_;
  bool is_examined_{};
};

}  // namespace reprise::angiogenesis
