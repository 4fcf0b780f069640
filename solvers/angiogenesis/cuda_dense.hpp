// SPDX-License-Identifier: MIT
// A full matrix on the device for libraries whose factorisation overwrites its input.
#pragma once

#include <vector>

#include "solvers/angiogenesis/dense.hpp"
#include "solvers/common/cuda/cuda.hpp"

namespace reprise::angiogenesis {
inline namespace REPRISE_CUDA_FLAVOUR {

class device_matrix {
 public:
  // Uploads the matrix by columns, and allocates its factors.
  void load(const matrix& a) {
    const std::size_t n = a.size();
    require_memory(dense_bytes(a));
    a_ = {};
    factors_ = {};
    a_ = cuda::buffer<double>(n * n);
    factors_ = cuda::buffer<double>(n * n);
    std::vector<double> dense(n * n);
    fill_dense(a, dense, 1, n);
    a_.upload(dense.data(), dense.size());
    floors_ = pivot_floors(a);
  }

  // Copies the matrix to where factorisation overwrites it.
  void copy(cudaStream_t on = nullptr) {
    REPRISE_CUDA(cudaMemcpyAsync(factors_.data(), a_.data(), a_.size() * sizeof(double),
                                 cudaMemcpyDeviceToDevice, on));
  }

  double* factors() { return factors_.data(); }
  const std::vector<double>& floors() const { return floors_; }

 private:
  cuda::buffer<double> a_, factors_;
  std::vector<double> floors_;
};

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::angiogenesis
