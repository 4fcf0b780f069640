// SPDX-License-Identifier: MIT
// Factorisation by host and device together, like MAGMA: LAPACK factorises panels on the host,
// cuBLAS eliminates on the device.
// Place: section 5.6, Table 6, whose MAGMA works like this; magma_lu is MAGMA itself, where it is installed.
// Formula: P A = L U by panels of 128 columns.
// The next panel is updated before the rest of the matrix. It is copied to the host, into pinned memory,
// while the device updates the rest. cuBLAS does both substitutions on the device.
#include <cublas_v2.h>
#include <lapacke.h>

#include <utility>

#include "solvers/angiogenesis/cuda_dense.hpp"
#include "solvers/angiogenesis/host_solver.hpp"
#include "solvers/common/cuda/vendor_libraries.hpp"

namespace reprise::angiogenesis {
namespace {

constexpr int panel_width = 128;

void check(cublasStatus_t code, const char* call,
           std::source_location where = std::source_location::current()) {
  if (code != CUBLAS_STATUS_SUCCESS)
    throw error(std::string(call) + " failed: " + REPRISE_LATE(cublas, cublasGetStatusName)(code), where);
}

#define REPRISE_CUBLAS(NAME, ...) check(REPRISE_LATE(cublas, NAME)(__VA_ARGS__), #NAME)

// Swaps rows first ... first + count - 1 with their pivots, one thread per column. The columns of
// the panel itself are left out.
__global__ void swap_rows(double* a, int order, int first, int count, const int* pivots) {
  const int c = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (c >= order || (c >= first && c < first + count)) return;
  double* const column = a + static_cast<long long>(c) * order;
  for (int k = first; k < first + count; ++k) {
    const int p = pivots[k];
    const double upper = column[k];
    column[k] = column[p];
    column[p] = upper;
  }
}

template <class T>
class pinned_memory {
 public:
  pinned_memory() = default;
  explicit pinned_memory(std::size_t count) {
    void* memory = nullptr;
    REPRISE_CUDA(cudaMallocHost(&memory, cuda::bytes_of(count, sizeof(T))));
    data_ = static_cast<T*>(memory);
  }
  pinned_memory(pinned_memory&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
  pinned_memory& operator=(pinned_memory&& other) noexcept {
    std::swap(data_, other.data_);
    return *this;
  }
  ~pinned_memory() { static_cast<void>(cudaFreeHost(data_)); }
  T* data() const { return data_; }

 private:
  T* data_{};
};

// Two streams, and a cuBLAS handle on the first of them.
class workers {
 public:
  workers() {
    REPRISE_CUBLAS(cublasCreate, &blas_);
    REPRISE_CUBLAS(cublasSetStream, blas_, compute.get());
  }
  workers(const workers&) = delete;
  workers& operator=(const workers&) = delete;
  ~workers() { static_cast<void>(REPRISE_LATE(cublas, cublasDestroy)(blas_)); }
  cublasHandle_t blas() const { return blas_; }

  // Makes later copies wait for the computations queued so far.
  void copy_after_compute() {
    panel_ready_.give(compute.get());
    panel_ready_.await(copy.get());
  }

  cuda::stream compute, copy;

 private:
  cublasHandle_t blas_{};
  cuda::signal panel_ready_;
};

class hybrid_lu final : public host_solver {
 public:
  explicit hybrid_lu(const device& d) {
    cuda::use_device(d);
    workers_ = std::make_unique<workers>();
  }
  work per_solve() const override { return dense_work(a().order, when()); }
  bus_traffic traffic() const override {
    if (when() == factoring::once) return vectors_only();
    double words = 2.0 * n_;
    for (int first = 0; first < n_; first += panel_width) words += 2.0 * (n_ - first) * width_at(first);
    return {sizeof(double) * words, "b, x and each panel both ways"};
  }

 protected:
  void prepare() override {
    n_ = a().order;
    const std::size_t n = a().size();
    matrix_.load(a());
    x_ = cuda::buffer<double>(n);
    for (auto& panel : panels_) panel = pinned_memory<double>(n * panel_width);
    on_device_pivots_ = cuda::buffer<int>(n);
    diagonal_.resize(n);
    pivots_ = pinned_memory<int>(n);
    right_.resize(n);
  }

  // Host and device work at the same time, so their times are not separated.
  void factorise() override {
    matrix_.copy(workers_->compute.get());
    fetch(0);
    for (int first = 0; first < n_; first += panel_width) factorise_panel(first);
    workers_->compute.synchronize();
    charge(effort_.seconds.factorise);
    require_pivots(matrix_.floors(), [&](std::size_t k) { return diagonal_[k]; });
    effort_.row_swaps = 0;
    for (int k = 0; k < n_; ++k) *effort_.row_swaps += pivots_.data()[k] != k ? 1 : 0;
    charge(effort_.seconds.host);
  }

  void substitute(std::span<const double> b, std::span<double> x) override {
    std::copy(b.begin(), b.end(), right_.begin());
    for (std::size_t k = 0; k < right_.size(); ++k)
      std::swap(right_[k], right_[static_cast<std::size_t>(pivots_.data()[k])]);
    charge(effort_.seconds.host);
    x_.upload(right_.data(), right_.size());
    charge(effort_.seconds.transfer);
    substitute(CUBLAS_FILL_MODE_LOWER, CUBLAS_DIAG_UNIT);
    charge(effort_.seconds.forward);
    substitute(CUBLAS_FILL_MODE_UPPER, CUBLAS_DIAG_NON_UNIT);
    charge(effort_.seconds.back);
    x_.download(x.data(), x.size());
    charge(effort_.seconds.transfer);
  }

 private:
  double* at(int row, int column) { return matrix_.factors() + static_cast<long long>(column) * n_ + row; }
  int width_at(int first) const { return std::max(0, std::min(panel_width, n_ - first)); }
  double* panel_at(int first) const {
    return panels_[static_cast<std::size_t>(first / panel_width % 2)].data();
  }

  void substitute(cublasFillMode_t which, cublasDiagType_t diagonal) {
    REPRISE_CUBLAS(cublasDtrsv, workers_->blas(), which, CUBLAS_OP_N, diagonal, n_, matrix_.factors(), n_,
                   x_.data(), 1);
    workers_->compute.synchronize();
  }

  // Starts copying the panel to the host.
  void fetch(int first) {
    const auto rows = static_cast<std::size_t>(n_ - first);
    workers_->copy_after_compute();
    REPRISE_CUDA(cudaMemcpy2DAsync(panel_at(first), rows * sizeof(double), at(first, first),
                                   a().size() * sizeof(double), rows * sizeof(double),
                                   static_cast<std::size_t>(width_at(first)), cudaMemcpyDeviceToHost,
                                   workers_->copy.get()));
  }

  void factorise_panel(int first) {
    workers_->copy.synchronize();
    const int rows = n_ - first, width = width_at(first);
    double* const panel = panel_at(first);
    int* const pivots = pivots_.data() + first;
    const lapack_int info = LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, rows, width, panel, rows, pivots);
    if (info < 0) throw error("LAPACKE_dgetrf failed with info " + std::to_string(info));
    for (int k = 0; k < width; ++k) {
      pivots[k] += first - 1;
      diagonal_[static_cast<std::size_t>(first + k)] = panel[static_cast<long long>(k) * rows + k];
    }
    const cudaStream_t compute = workers_->compute.get();
    const auto row_bytes = static_cast<std::size_t>(rows) * sizeof(double);
    REPRISE_CUDA(cudaMemcpy2DAsync(at(first, first), a().size() * sizeof(double), panel, row_bytes, row_bytes,
                                   static_cast<std::size_t>(width), cudaMemcpyHostToDevice, compute));
    REPRISE_CUDA(cudaMemcpyAsync(on_device_pivots_.data() + first, pivots,
                                 static_cast<std::size_t>(width) * sizeof(int), cudaMemcpyHostToDevice,
                                 compute));
    constexpr unsigned threads = 64;
    cuda::launch(swap_rows, (static_cast<unsigned>(n_) + threads - 1) / threads, threads, 0, compute,
                 matrix_.factors(), n_, first, width, on_device_pivots_.data());
    const int next = first + width, next_width = width_at(next);
    eliminate(first, width, next, next_width);
    if (next_width == 0) return;
    fetch(next);
    eliminate(first, width, next + next_width, n_ - next - next_width);
  }

  // Computes the rows of U and updates the rows below them, in columns begin ... begin + count - 1.
  void eliminate(int first, int width, int begin, int count) {
    if (count <= 0) return;
    const double one = 1, minus_one = -1;
    REPRISE_CUBLAS(cublasDtrsm, workers_->blas(), CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N,
                   CUBLAS_DIAG_UNIT, width, count, &one, at(first, first), n_, at(first, begin), n_);
    const int below = n_ - first - width;
    if (below == 0) return;
    REPRISE_CUBLAS(cublasDgemm, workers_->blas(), CUBLAS_OP_N, CUBLAS_OP_N, below, count, width, &minus_one,
                   at(first + width, first), n_, at(first, begin), n_, &one, at(first + width, begin), n_);
  }

  std::unique_ptr<workers> workers_;
  int n_{};
  device_matrix matrix_;
  cuda::buffer<double> x_;
  cuda::buffer<int> on_device_pivots_;
  std::array<pinned_memory<double>, 2> panels_;
  pinned_memory<int> pivots_;
  std::vector<double> diagonal_, right_;
};

REPRISE_VARIANT(solver, hybrid_lu,
                {.summary = "LAPACK's panels on the host, cuBLAS on the device",
                 .place = "section 5.6, Table 6",
                 .precisions = {precision::double_},
                 .per_unit = usual_dense_work(),
                 .repeats = determinism::bounded});

}  // namespace
}  // namespace reprise::angiogenesis
