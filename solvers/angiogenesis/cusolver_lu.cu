// SPDX-License-Identifier: MIT
// cuSOLVER's getrf and getrs in double precision.
// Place: section 5.6, Table 6.
// Formula: P A = L U, stored by columns.
// The matrix stays on the device. Each factorisation overwrites its input, so the matrix is copied there
// first. As in cuda_blocked, b and x are copied in each solve.
#include <cusolverDn.h>

#include "solvers/angiogenesis/cuda_dense.hpp"

namespace reprise::angiogenesis {
namespace {

void check(cusolverStatus_t code, const char* call,
           std::source_location where = std::source_location::current()) {
  if (code != CUSOLVER_STATUS_SUCCESS)
    throw error(std::string(call) + " failed with status " + std::to_string(static_cast<int>(code)), where);
}

// Gathers `count` values that are `stride` apart.
__global__ void gather(const double* from, int count, long long stride, double* to) {
  const int k = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (k < count) to[k] = from[k * stride];
}

class library {
 public:
  library() { check(cusolverDnCreate(&handle_), "cusolverDnCreate"); }
  library(const library&) = delete;
  library& operator=(const library&) = delete;
  ~library() { static_cast<void>(cusolverDnDestroy(handle_)); }
  cusolverDnHandle_t get() const { return handle_; }

 private:
  cusolverDnHandle_t handle_{};
};

class cusolver_lu final : public cuda_dense {
 public:
  explicit cusolver_lu(const device& d) {
    cuda::use_device(d);
    library_ = std::make_unique<library>();
  }

 protected:
  void prepare() override {
    const std::size_t n = a().size();
    prepare_matrix();
    int words = 0;
    check(cusolverDnDgetrf_bufferSize(library_->get(), a().order, a().order, lu_.data(), a().order, &words),
          "cusolverDnDgetrf_bufferSize");
    workspace_ = cuda::buffer<double>(static_cast<std::size_t>(std::max(words, 1)));
    pivots_ = cuda::buffer<int>(n);
    info_ = cuda::buffer<int>(1);
    diagonal_ = cuda::buffer<double>(n);
    host_diagonal_.resize(n);
    host_pivots_.resize(n);
    is_examined_ = false;
  }

  // A cuSOLVER call may itself wait for the device, so its time counts as factorisation. The pivots are
  // examined only once, because the same matrix always has the same ones.
  void factorise() override {
    const int n = a().order;
    copy_matrix();
    check(cusolverDnDgetrf(library_->get(), n, n, lu_.data(), n, workspace_.data(), pivots_.data(),
                           info_.data()),
          "cusolverDnDgetrf");
    REPRISE_CUDA(cudaDeviceSynchronize());
    charge(effort_.seconds.factorise);
    if (!is_examined_) examine();
    charge(effort_.seconds.host);
  }

  // getrs does forward and back substitution in one call.
  void substitute(std::span<const double> b, std::span<double> x) override {
    const int n = a().order;
    x_.upload(b.data(), b.size());
    charge(effort_.seconds.transfer);
    check(cusolverDnDgetrs(library_->get(), CUBLAS_OP_N, n, 1, lu_.data(), n, pivots_.data(), x_.data(), n,
                           info_.data()),
          "cusolverDnDgetrs");
    REPRISE_CUDA(cudaDeviceSynchronize());
    charge(effort_.seconds.back);
    x_.download(x.data(), x.size());
    charge(effort_.seconds.transfer);
  }

 private:
  void examine() {
    const int n = a().order;
    int info = 0;
    info_.download(&info, 1);
    if (info < 0) throw error("cusolverDnDgetrf was given a bad argument " + std::to_string(-info));
    constexpr unsigned threads = 256;
    cuda::launch(gather, (static_cast<unsigned>(n) + threads - 1) / threads, threads, 0, nullptr, lu_.data(),
                 n, static_cast<long long>(n) + 1, diagonal_.data());
    diagonal_.download(host_diagonal_.data(), host_diagonal_.size());
    pivots_.download(host_pivots_.data(), host_pivots_.size());
    require_pivots(floors_, [&](std::size_t k) { return host_diagonal_[k]; });
    effort_.row_swaps = 0;
    for (int k = 0; k < n; ++k)
      effort_.row_swaps += host_pivots_[static_cast<std::size_t>(k)] != k + 1 ? 1 : 0;
    is_examined_ = true;
  }

  std::unique_ptr<library> library_;
  cuda::buffer<double> workspace_, diagonal_;
  cuda::buffer<int> pivots_, info_;
  std::vector<double> host_diagonal_;
  std::vector<int> host_pivots_;
  bool is_examined_{};
};

REPRISE_VARIANT(solver, cusolver_lu,
                {.summary = "cuSOLVER's getrf and getrs",
                 .place = "section 5.6, Table 6",
                 .precisions = {precision::double_},
                 .per_unit = usual_dense_work(),
                 .repeats = determinism::bounded});

}  // namespace
}  // namespace reprise::angiogenesis
