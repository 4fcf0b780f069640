// SPDX-License-Identifier: MIT
// A sweep as Eigen's product of a sparse matrix and a vector, on all cores.
// Place: beyond the paper; what a C++ program gets without a loop of its own.
// Formula: x' = G x + g (spmv_matrix.hpp).
#include <Eigen/SparseCore>
#include <utility>

#include "solvers/jacobi/spmv_matrix.hpp"
#include "solvers/jacobi/variant.hpp"

namespace reprise::jacobi {
namespace {

class eigen_spmv final : public solver {
 public:
  explicit eigen_spmv(const device&) {}

  void load(const problem& p) override {
    sweep_matrix m = make_sweep_matrix(p);
    g_ = Eigen::Map<const Eigen::VectorXf>(m.constant.data(), p.nodes());
    matrix_ = Eigen::Map<const by_rows>(p.nodes(), p.nodes(), static_cast<Eigen::Index>(m.value.size()),
                                        m.row_begin.data(), m.column.data(), m.value.data());
    x0_ = Eigen::Map<const Eigen::VectorXf>(p.x0.data(), p.nodes());
    next_ = x0_;
    reset();
  }
  void reset() override { x_ = x0_; }
  void sweep(int count) override {
    for (int s = 0; s < count; ++s) {
      next_ = g_;
      next_.noalias() += matrix_ * x_;
      std::swap(x_, next_);
    }
  }
  std::vector<float> solution() override { return {x_.begin(), x_.end()}; }
  stopwatch& clock() override { return clock_; }

 private:
  using by_rows = Eigen::SparseMatrix<float, Eigen::RowMajor>;
  by_rows matrix_;
  Eigen::VectorXf g_, x0_, x_, next_;
  steady_stopwatch clock_;
};

REPRISE_VARIANT(solver, eigen_spmv,
                {.summary = "Eigen's product of a sparse matrix and a vector, all cores",
                 .place = "beyond the paper",
                 .precisions = {precision::single},
                 .per_unit = spmv_work,
                 .repeats = determinism::bounded});

}  // namespace
}  // namespace reprise::jacobi
