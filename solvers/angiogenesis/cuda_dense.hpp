// SPDX-License-Identifier: MIT
// What solvers share that give a full matrix on the device to a library.
#pragma once

#include <vector>

#include "solvers/angiogenesis/dense.hpp"
#include "solvers/angiogenesis/host_solver.hpp"
#include "solvers/common/cuda/cuda.hpp"

namespace reprise::angiogenesis {
inline namespace REPRISE_CUDA_FLAVOUR {

class cuda_dense : public host_solver {
 public:
  work per_solve() const override { return dense_work(a().order, when()); }

 protected:
  // Uploads the matrix by columns, and allocates its factors and a right-hand side.
  void prepare_matrix() {
    const std::size_t n = a().size();
    require_memory(dense_bytes(a()));
    a_ = {};
    lu_ = {};
    a_ = cuda::buffer<double>(n * n);
    lu_ = cuda::buffer<double>(n * n);
    std::vector<double> dense(n * n);
    fill_dense(a(), dense, 1, n);
    a_.upload(dense.data(), dense.size());
    x_ = cuda::buffer<double>(n);
    floors_ = pivot_floors(a());
  }

  // Copies the matrix to where factorisation overwrites it.
  void copy_matrix(cudaStream_t on = nullptr) {
    REPRISE_CUDA(
        cudaMemcpyAsync(lu_.data(), a_.data(), a_.size() * sizeof(double), cudaMemcpyDeviceToDevice, on));
  }

  cuda::buffer<double> a_, lu_, x_;
  std::vector<double> floors_;
};

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::angiogenesis
