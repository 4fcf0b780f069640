// SPDX-License-Identifier: MIT
// A sweep as cuSPARSE's product of a sparse matrix and a vector, in the sliced-ELL format.
// Place: beyond the paper; what one would write without a kernel.
// Formula: x' = G x + g (spmv_matrix.hpp), as a copy of g and a product that adds to it.
// A slice has 32 rows, each padded to the longest of them; within a slice the values are stored by columns.
#include <algorithm>
#include <memory>
#include <utility>

#include "solvers/common/cuda/cuda.hpp"
#include "solvers/common/cuda/cusparse.hpp"
#include "solvers/jacobi/spmv_matrix.hpp"
#include "solvers/jacobi/variant.hpp"

namespace reprise::jacobi {
namespace {

constexpr std::size_t slice_rows = 32;

struct slices {
  std::vector<int> begin{0};
  std::vector<int> column;  // -1 for padding
  std::vector<float> value;
};

slices sliced(const sweep_matrix& m) {
  slices s;
  const std::size_t rows = m.row_begin.size() - 1;
  const auto begin_of = [&](std::size_t row) { return static_cast<std::size_t>(m.row_begin[row]); };
  for (std::size_t first = 0; first < rows; first += slice_rows) {
    std::size_t width = 0;
    for (std::size_t row = first; row < std::min(first + slice_rows, rows); ++row)
      width = std::max(width, begin_of(row + 1) - begin_of(row));
    for (std::size_t j = 0; j < width; ++j)
      for (std::size_t row = first; row < first + slice_rows; ++row) {
        const bool is_entry = row < rows && begin_of(row) + j < begin_of(row + 1);
        s.column.push_back(is_entry ? m.column[begin_of(row) + j] : -1);
        s.value.push_back(is_entry ? m.value[begin_of(row) + j] : 0);
      }
    s.begin.push_back(static_cast<int>(s.value.size()));
  }
  return s;
}

class sell_matrix {
 public:
  sell_matrix(const sweep_matrix& m, const slices& s)
      : begin_(cuda::uploaded(s.begin)), column_(cuda::uploaded(s.column)), value_(cuda::uploaded(s.value)) {
    const auto rows = static_cast<std::int64_t>(m.row_begin.size() - 1);
    REPRISE_CUSPARSE(cusparseCreateSlicedEll, &get_, rows, rows, static_cast<std::int64_t>(m.value.size()),
                     static_cast<std::int64_t>(s.value.size()), slice_rows, begin_.data(), column_.data(),
                     value_.data(), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                     CUDA_R_32F);
  }
  sell_matrix(const sell_matrix&) = delete;
  sell_matrix& operator=(const sell_matrix&) = delete;
  ~sell_matrix() { static_cast<void>(REPRISE_LATE(cusparse, cusparseDestroySpMat)(get_)); }
  cusparseSpMatDescr_t get() const { return get_; }

 private:
  cuda::buffer<int> begin_, column_;
  cuda::buffer<float> value_;
  cusparseSpMatDescr_t get_{};
};

class dense_vector {
 public:
  explicit dense_vector(std::size_t size) : values(size) {
    REPRISE_CUSPARSE(cusparseCreateDnVec, &get_, static_cast<std::int64_t>(size), values.data(), CUDA_R_32F);
  }
  dense_vector(const dense_vector&) = delete;
  dense_vector& operator=(const dense_vector&) = delete;
  ~dense_vector() { static_cast<void>(REPRISE_LATE(cusparse, cusparseDestroyDnVec)(get_)); }
  cusparseDnVecDescr_t get() const { return get_; }

  cuda::buffer<float> values;

 private:
  cusparseDnVecDescr_t get_{};
};

class cusparse_sell final : public solver {
 public:
  explicit cusparse_sell(const device& d) {
    cuda::use_device(d);
    library_ = std::make_unique<cusparse::library>();
  }

  void load(const problem& p) override {
    const sweep_matrix m = make_sweep_matrix(p);
    matrix_ = std::make_unique<sell_matrix>(m, sliced(m));
    g_ = cuda::uploaded(m.constant);
    x_ = std::make_unique<dense_vector>(m.constant.size());
    next_ = std::make_unique<dense_vector>(m.constant.size());
    x0_ = p.x0;
    std::size_t bytes = 0;
    REPRISE_CUSPARSE(cusparseSpMV_bufferSize, library_->get(), CUSPARSE_OPERATION_NON_TRANSPOSE, &one,
                     matrix_->get(), x_->get(), &one, next_->get(), CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT,
                     &bytes);
    workspace_ = cuda::buffer<char>(std::max<std::size_t>(bytes, 1));
    reset();
  }

  void reset() override { x_->values.upload(x0_.data(), x0_.size()); }

  void sweep(int count) override {
    for (int s = 0; s < count; ++s) {
      REPRISE_CUDA(cudaMemcpyAsync(next_->values.data(), g_.data(), g_.size() * sizeof(float),
                                   cudaMemcpyDeviceToDevice));
      REPRISE_CUSPARSE(cusparseSpMV, library_->get(), CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix_->get(),
                       x_->get(), &one, next_->get(), CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT,
                       workspace_.data());
      std::swap(x_, next_);
    }
  }

  std::vector<float> solution() override {
    std::vector<float> x(x0_.size());
    x_->values.download(x.data(), x.size());
    return x;
  }

  stopwatch& clock() override { return clock_; }

 private:
  static constexpr float one = 1;

  std::unique_ptr<cusparse::library> library_;
  std::unique_ptr<sell_matrix> matrix_;
  cuda::buffer<float> g_;
  std::unique_ptr<dense_vector> x_, next_;
  std::vector<float> x0_;
  cuda::buffer<char> workspace_;
  cuda::event_stopwatch clock_;
};

REPRISE_VARIANT(solver, cusparse_sell,
                {.summary = "cuSPARSE's product of a matrix in sliced ELL and a vector",
                 .place = "beyond the paper",
                 .precisions = {precision::single},
                 .per_unit = spmv_work,
                 .repeats = determinism::bounded});

}  // namespace
}  // namespace reprise::jacobi
