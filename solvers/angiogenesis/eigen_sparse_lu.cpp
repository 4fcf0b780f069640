// SPDX-License-Identifier: MIT
// Eigen's SparseLU with its own ordering of columns (COLAMD), on one core.
// Place: none; this is what a C++ program gets that treats the matrix as sparse, but does not know its structure.
// Formula: Pr A Pc = L U with supernodes.
#include <Eigen/SparseLU>

#include "solvers/angiogenesis/host_solver.hpp"

namespace reprise::angiogenesis {
namespace {

// Without fill: 11 entries and four diagonals per node.
constexpr work counted(double nodes) {
  return {.bytes_logical = sizeof(double) * 3 * 13 * nodes,
          .bytes_dram = sizeof(double) * 15 * nodes,
          .bytes_dram_once = 0,
          .flops = 60 * nodes};
}

class eigen_sparse_lu final : public host_solver {
 public:
  explicit eigen_sparse_lu(const device&) {}

  work per_solve() const override { return counted(static_cast<double>(a().order) / fields); }

 protected:
  void prepare() override {
    if (4 * a().value.size() > a().size() * a().size())
      throw unavailable("solves sparse matrices only: of " + std::to_string(a().size() * a().size()) +
                        " entries " + std::to_string(a().value.size()) + " are not zero");
    const Eigen::Map<const Eigen::SparseMatrix<double, Eigen::RowMajor>> by_rows(
        a().order, a().order, static_cast<Eigen::Index>(a().value.size()), a().row_begin.data(),
        a().column.data(), a().value.data());
    matrix_ = by_rows;
    // The ordering depends on the places of the entries only, and belongs to the set-up.
    lu_.analyzePattern(matrix_);
  }

  void factorise() override {
    lu_.factorize(matrix_);
    charge(effort_.seconds.factorise);
    if (lu_.info() != Eigen::Success)
      throw bad_input("Eigen's SparseLU refuses the matrix: " + lu_.lastErrorMessage());
  }

  void substitute(std::span<const double> b, std::span<double> x) override {
    const auto n = static_cast<Eigen::Index>(b.size());
    Eigen::Map<Eigen::VectorXd>(x.data(), n) = lu_.solve(Eigen::Map<const Eigen::VectorXd>(b.data(), n));
    charge(effort_.seconds.back);
  }

 private:
  Eigen::SparseMatrix<double> matrix_;
  Eigen::SparseLU<Eigen::SparseMatrix<double>> lu_;
};

REPRISE_VARIANT(solver, eigen_sparse_lu,
                {.summary = "Eigen's SparseLU, ordered by COLAMD",
                 .place = "beyond the paper",
                 .precisions = {precision::double_},
                 .per_unit = counted(400)});

}  // namespace
}  // namespace reprise::angiogenesis
