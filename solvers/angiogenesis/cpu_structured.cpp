// SPDX-License-Identifier: MIT
// What the matrix's structure allows: C and I, then P with C's part moved to its right-hand side, are three
// tridiagonal systems, and F is there already. One thread, O(M).
// Place: none; the paper takes the matrix for full (section 3.2).
// Formula: elimination from both ends towards the middle row m. From above w_i = 1 / (d_i - l_i o_(i-1)),
// o_i = u_i w_i, y_i = w_i b_i - l_i w_i y_(i-1) and then x_i = y_i - o_i x_(i+1); from below mirrored. The
// two halves do not wait for each other, nor C for I. Differs: without pivots. Partial pivoting swaps the
// last two rows of a block where dt d / h^2 exceeds about 4; but all rows are dominated by their diagonal, 1
// + 2r + s > 2r, so elimination in place is stable.
#include <utility>

#include "solvers/angiogenesis/host_solver.hpp"
#include "solvers/angiogenesis/structure.hpp"
#include "solvers/common/simd.hpp"

namespace reprise::angiogenesis {
namespace {

// A tridiagonal matrix, and its factors.
struct tridiagonal : field_rows {
  explicit tridiagonal(field_rows rows)
      : field_rows(std::move(rows)), inverse(diagonal.size()), inward(inverse), outward(inverse) {}

  std::vector<double> inverse, inward, outward;  // w, l w, u w above the middle; below it w, u w, l w
};

// Rows 0 ... middle - 1 are eliminated from above, the others down to middle + 1 from below.
constexpr std::size_t middle_of(std::size_t count) {
  return count / 2;
}

inline void eliminate_above(tridiagonal& s, std::size_t i) {
  const double w = 1 / (s.diagonal[i] - (i > 0 ? s.lower[i] * s.outward[i - 1] : 0));
  s.inverse[i] = w;
  s.inward[i] = s.lower[i] * w;
  s.outward[i] = s.upper[i] * w;
}

inline void eliminate_below(tridiagonal& s, std::size_t i, std::size_t last) {
  const double w = 1 / (s.diagonal[i] - (i < last ? s.upper[i] * s.outward[i + 1] : 0));
  s.inverse[i] = w;
  s.inward[i] = s.upper[i] * w;
  s.outward[i] = s.lower[i] * w;
}

// All six chains of divisions side by side.
void factorise_all(const std::array<tridiagonal*, 3>& systems) {
  const std::size_t last = systems[0]->diagonal.size() - 1;
  const std::size_t middle = middle_of(last + 1);
  for (std::size_t i = 0; i < middle; ++i)
    for (tridiagonal* s : systems) {
      eliminate_above(*s, i);
      if (last - i > middle) eliminate_below(*s, last - i, last);
    }
  for (tridiagonal* s : systems)
    s->inverse[middle] = 1 / (s->diagonal[middle] - s->lower[middle] * s->outward[middle - 1] -
                              s->upper[middle] * s->outward[middle + 1]);
}

// Turns x from right-hand sides that were multiplied by w into the solution. That product is no part of the
// chains, in which only one fused multiply-add then follows another.
template <std::size_t N>
[[gnu::always_inline]] inline void substitute_all(const std::array<const tridiagonal*, N>& systems,
                                                  const std::array<double*, N>& x) {
  const std::size_t last = systems[0]->diagonal.size() - 1;
  const std::size_t middle = middle_of(last + 1);
  std::array<double, N> above{};
  std::array<double, N> below{};
  for (std::size_t i = 0; i < last - middle; ++i)
    for (std::size_t s = 0; s < N; ++s) {
      x[s][i] = above[s] = x[s][i] - systems[s]->inward[i] * above[s];
      x[s][last - i] = below[s] = x[s][last - i] - systems[s]->inward[last - i] * below[s];
    }
  for (std::size_t s = 0; s < N; ++s) {
    const tridiagonal& t = *systems[s];
    // An even count leaves a row more above than below.
    for (std::size_t i = last - middle; i < middle; ++i)
      x[s][i] = above[s] = x[s][i] - t.inward[i] * above[s];
    x[s][middle] -= t.inverse[middle] * (t.lower[middle] * above[s] + t.upper[middle] * below[s]);
    above[s] = below[s] = x[s][middle];
    for (std::size_t i = middle; i-- > last - middle;) x[s][i] = above[s] = x[s][i] - t.outward[i] * above[s];
  }
  for (std::size_t i = last - middle; i-- > 0;)
    for (std::size_t s = 0; s < N; ++s) {
      x[s][i] = above[s] = x[s][i] - systems[s]->outward[i] * above[s];
      x[s][last - i] = below[s] = x[s][last - i] - systems[s]->outward[last - i] * below[s];
    }
}

// C and I, then P.
REPRISE_SIMD_CLONES void substitute_fields(const tridiagonal* systems, const double* coupling,
                                           const double* b, double* x) {
  const std::size_t m = systems[0].diagonal.size();
  for (const std::size_t f : {0, 2})
    for (std::size_t i = 0; i < m; ++i) x[f * m + i] = b[f * m + i] * systems[f].inverse[i];
  substitute_all<2>({&systems[0], &systems[2]}, {x, x + 2 * m});
  for (std::size_t i = 0; i < m; ++i) x[m + i] = (b[m + i] - coupling[i] * x[i]) * systems[1].inverse[i];
  substitute_all<1>({&systems[1]}, {x + m});
  for (std::size_t k = 3 * m; k < 4 * m; ++k) x[k] = b[k];
}

class cpu_structured final : public host_solver {
 public:
  explicit cpu_structured(const device&) {}

  // Words of the three systems and their factors, the coupling, b, x and the right-hand side of P.
  work per_solve() const override { return counted(static_cast<double>(a().order) / fields, when()); }
  static work counted(double nodes, factoring when) {
    const bool factorises = when == factoring::every_solve;
    return {.bytes_logical = sizeof(double) * nodes * ((factorises ? 24 : 0) + 34),
            .bytes_dram = sizeof(double) * nodes * ((factorises ? 9 : 0) + 9 + 1 + 8),
            .bytes_dram_once = 0,
            .flops = nodes * ((factorises ? 15 : 0) + 17)};
  }

 protected:
  void prepare() override {
    structure read = read_structure(a());
    systems_.clear();
    for (field_rows& rows : read.rows) systems_.emplace_back(std::move(rows));
    coupling_ = std::move(read.coupling);
  }

  void factorise() override {
    factorise_all({&systems_[0], &systems_[1], &systems_[2]});
    charge(effort_.seconds.factorise);
  }

  void substitute(std::span<const double> b, std::span<double> x) override {
    substitute_fields(systems_.data(), coupling_.data(), b.data(), x.data());
    charge(effort_.seconds.back);
  }

 private:
  std::vector<tridiagonal> systems_;
  std::vector<double> coupling_;
};

REPRISE_VARIANT(solver, cpu_structured,
                {.summary = "one thread, three tridiagonal systems from both ends",
                 .place = "",
                 .precisions = {precision::double_},
                 .per_unit = cpu_structured::counted(400, factoring::every_solve),
                 .repeats = determinism::bitwise});

}  // namespace
}  // namespace reprise::angiogenesis
