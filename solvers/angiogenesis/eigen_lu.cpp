// SPDX-License-Identifier: MIT
// Eigen's blocked LU factorisation with partial pivoting, on all cores.
// Place: none; this is what a C++ program gets without a vendor's library.
// Formula: P A = L U.
#include <Eigen/LU>

#include "solvers/angiogenesis/dense.hpp"
#include "solvers/angiogenesis/host_solver.hpp"

namespace reprise::angiogenesis {
namespace {

class eigen_lu final : public host_solver {
 public:
  explicit eigen_lu(const device&) {}

  work per_solve() const override { return dense_work(a().order, when()); }

 protected:
  void prepare() override {
    require_memory(2 * dense_bytes(a()));
    dense_.resize(a().order, a().order);
    floors_ = pivot_floors(a());
  }

  void factorise() override {
    fill_dense(a(), {dense_.data(), static_cast<std::size_t>(dense_.size())}, 1, a().size());
    charge(effort_.seconds.host);
    lu_.compute(dense_);
    charge(effort_.seconds.factorise);
    const auto& u = lu_.matrixLU();
    require_pivots(floors_, [&](std::size_t k) {
      const auto at = static_cast<Eigen::Index>(k);
      return u(at, at);
    });
    effort_.row_swaps = count_swaps(lu_.permutationP().indices());
    charge(effort_.seconds.host);
  }

  // Two separate substitutions instead of Eigen's solve(), so that each is timed.
  void substitute(std::span<const double> b, std::span<double> x) override {
    const auto n = static_cast<Eigen::Index>(b.size());
    Eigen::Map<Eigen::VectorXd> answer(x.data(), n);
    answer = lu_.permutationP() * Eigen::Map<const Eigen::VectorXd>(b.data(), n);
    lu_.matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(answer);
    charge(effort_.seconds.forward);
    lu_.matrixLU().triangularView<Eigen::Upper>().solveInPlace(answer);
    charge(effort_.seconds.back);
  }

 private:
  // A permutation of n rows with c cycles takes n - c swaps, and elimination makes no superfluous ones.
  template <class Indices>
  static long long count_swaps(const Indices& where) {
    std::vector<char> seen(static_cast<std::size_t>(where.size()));
    long long swaps = 0;
    for (Eigen::Index start = 0; start < where.size(); ++start) {
      if (seen[static_cast<std::size_t>(start)] != 0) continue;
      for (Eigen::Index at = start; seen[static_cast<std::size_t>(at)] == 0; at = where[at]) {
        seen[static_cast<std::size_t>(at)] = 1;
        ++swaps;
      }
      --swaps;
    }
    return swaps;
  }

  Eigen::MatrixXd dense_;
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
  std::vector<double> floors_;
};

REPRISE_VARIANT(solver, eigen_lu,
                {.summary = "Eigen's PartialPivLU, all cores",
                 .place = "",
                 .precisions = {precision::double_},
                 .per_unit = usual_dense_work(),
                 .repeats = determinism::bounded});

}  // namespace
}  // namespace reprise::angiogenesis
