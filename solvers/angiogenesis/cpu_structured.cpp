// SPDX-License-Identifier: MIT
// Exploits the matrix's structure, in O(M) on one thread.
// Place: none; the paper treats the matrix as full (section 3.2).
// Formula: C, I, and then P with C's part moved to its right-hand side, are three tridiagonal
// systems, and F is known already. Each is eliminated from both ends towards the middle row m. From
// above w_i = 1 / (d_i - l_i u_(i-1) w_(i-1)), y_i = w_i b_i - l_i w_i y_(i-1) and then
// x_i = y_i - u_i w_i x_(i+1); from below this is mirrored. The two halves are independent of each
// other, and so are the w of the three systems.
// Where we differ: there is no pivoting. Partial pivoting swaps the last two rows of a block if
// dt d / h^2 exceeds about 4. But all rows are diagonally dominant, 1 + 2r + s > 2r, so
// elimination without swaps is stable.
#include <utility>
#include <vector>

#include "solvers/angiogenesis/host_solver.hpp"
#include "solvers/angiogenesis/structure.hpp"
#include "solvers/common/base/simd.hpp"

namespace reprise::angiogenesis {
namespace {

// One row of C, P and I, and an unused lane.
using lanes = double __attribute__((vector_size(32)));
// Stated explicitly, because compilers for the oldest processors assume a lower alignment than those
// for newer processors rely on.
constexpr std::size_t lanes_alignment = sizeof(lanes);
constexpr std::size_t systems = 3;
constexpr std::size_t p = 1;
constexpr std::size_t c_and_i[]{0, 2};

// Two rows at the same distance from their ends: [0] from the first node, [1] from the last. If one half has
// one row more, the other half gets a row of the identity.
struct alignas(lanes_alignment) row_pair {
  lanes diagonal[2], inner[2], outer[2];  // inner: coefficient of the neighbour nearer to the end
};
struct alignas(lanes_alignment) factor_pair {
  lanes inverse[2], inward[2], outward[2];  // w, and inner and outer times w
};
struct middle_row {
  double first[systems], diagonal[systems], last[systems];  // first: towards the first node
  double inverse[systems];
};

// Rows 0 ... middle - 1 are eliminated from above, the last row down to middle + 1 from below.
constexpr std::size_t middle_of(std::size_t count) {
  return count / 2;
}

std::vector<row_pair> paired(const structure& read) {
  const std::size_t last = read.nodes - 1;
  const std::size_t middle = middle_of(read.nodes);
  const row_pair identity{.diagonal = {lanes{} + 1, lanes{} + 1}, .inner = {}, .outer = {}};
  std::vector<row_pair> pairs(middle, identity);
  for (std::size_t i = 0; i < middle; ++i)
    for (std::size_t n = 0; n < systems; ++n) {
      const field_rows& f = read.rows[n];
      const auto set = [&](int end, std::size_t row, double inner, double outer) {
        pairs[i].diagonal[end][n] = f.diagonal[row];
        pairs[i].inner[end][n] = inner;
        pairs[i].outer[end][n] = outer;
      };
      set(0, i, f.lower[i], f.upper[i]);
      const std::size_t j = last - i;
      if (j > middle) set(1, j, f.upper[j], f.lower[j]);
    }
  return pairs;
}

// Computes all six chains of divisions side by side. Each step of a chain is one fused
// multiply-add and one division.
REPRISE_SIMD_CLONES void factorise_all(const row_pair* rows, factor_pair* factors, std::size_t pairs) {
  lanes before[2]{}, outer_before[2]{};
  for (std::size_t i = 0; i < pairs; ++i)
    for (int end = 0; end < 2; ++end) {
      const row_pair& r = rows[i];
      const lanes w = 1 / (r.diagonal[end] - r.inner[end] * outer_before[end] * before[end]);
      factors[i].inverse[end] = before[end] = w;
      factors[i].inward[end] = r.inner[end] * w;
      factors[i].outward[end] = r.outer[end] * w;
      outer_before[end] = r.outer[end];
    }
}

// Computes x from the right-hand sides `from`, which may be the same arrays. Products with w are outside the
// chains, so each step of a chain is a single fused multiply-add.
template <std::size_t N>
[[gnu::always_inline]] inline void substitute_all(const std::size_t (&which)[N], const factor_pair* factors,
                                                  const middle_row& between, std::size_t last,
                                                  const double* const (&from)[N], double* const (&x)[N]) {
  const std::size_t middle = middle_of(last + 1);
  double above[N]{};
  double below[N]{};
  const auto inward = [&](int end, std::size_t pair, std::size_t s, std::size_t row, double before) {
    const std::size_t n = which[s];
    const factor_pair& f = factors[pair];
    return x[s][row] = from[s][row] * f.inverse[end][n] - f.inward[end][n] * before;
  };
  const auto outward = [&](int end, std::size_t pair, std::size_t s, std::size_t row, double before) {
    return x[s][row] = x[s][row] - factors[pair].outward[end][which[s]] * before;
  };
  for (std::size_t i = 0; i < last - middle; ++i)
    for (std::size_t s = 0; s < N; ++s) {
      above[s] = inward(0, i, s, i, above[s]);
      below[s] = inward(1, i, s, last - i, below[s]);
    }
  for (std::size_t s = 0; s < N; ++s) {
    const std::size_t n = which[s];
    // With an even number of rows, one row more lies above the middle than below.
    if (last - middle < middle) above[s] = inward(0, middle - 1, s, middle - 1, above[s]);
    x[s][middle] =
        (from[s][middle] - between.first[n] * above[s] - between.last[n] * below[s]) * between.inverse[n];
    above[s] = below[s] = x[s][middle];
    if (last - middle < middle) above[s] = outward(0, middle - 1, s, middle - 1, above[s]);
  }
  for (std::size_t i = last - middle; i-- > 0;)
    for (std::size_t s = 0; s < N; ++s) {
      above[s] = outward(0, i, s, i, above[s]);
      below[s] = outward(1, i, s, last - i, below[s]);
    }
}

// Solves for C and I, then for P.
REPRISE_SIMD_CLONES void substitute_fields(const factor_pair* factors, const middle_row& between,
                                           const double* coupling, std::size_t m, const double* b,
                                           double* x) {
  substitute_all<2>(c_and_i, factors, between, m - 1, {b, b + 2 * m}, {x, x + 2 * m});
  for (std::size_t i = 0; i < m; ++i) x[m + i] = b[m + i] - coupling[i] * x[i];
  substitute_all<1>({p}, factors, between, m - 1, {x + m}, {x + m});
  for (std::size_t k = 3 * m; k < 4 * m; ++k) x[k] = b[k];
}

class cpu_structured final : public host_solver {
 public:
  explicit cpu_structured(const device&) {}

  // Counts words of the three systems and their factors, the coupling, b, x and the right-hand side of P.
  work per_solve() const override { return counted(static_cast<double>(a().order) / fields, when()); }
  static work counted(double nodes, factoring when) {
    const bool factorises = when == factoring::every_solve;
    return {.bytes_logical = sizeof(double) * nodes * ((factorises ? 24 : 0) + 34),
            .bytes_dram = sizeof(double) * nodes * ((factorises ? 9 : 0) + 9 + 1 + 8),
            .bytes_dram_once = 0,
            .flops = nodes * ((factorises ? 18 : 0) + 17)};
  }

 protected:
  void prepare() override {
    structure read = read_structure(a());
    const std::size_t middle = middle_of(read.nodes);
    for (std::size_t n = 0; n < systems; ++n) {
      between_.first[n] = read.rows[n].lower[middle];
      between_.diagonal[n] = read.rows[n].diagonal[middle];
      between_.last[n] = read.rows[n].upper[middle];
    }
    rows_ = paired(read);
    factors_.resize(rows_.size());
    nodes_ = read.nodes;
    coupling_ = std::move(read.coupling);
  }

  void factorise() override {
    factorise_all(rows_.data(), factors_.data(), rows_.size());
    const factor_pair& above = factors_.back();
    const factor_pair& below = factors_[nodes_ - 2 - rows_.size()];
    for (std::size_t n = 0; n < systems; ++n)
      between_.inverse[n] = 1 / (between_.diagonal[n] - between_.first[n] * above.outward[0][n] -
                                 between_.last[n] * below.outward[1][n]);
    charge(effort_.seconds.factorise);
  }

  void substitute(std::span<const double> b, std::span<double> x) override {
    substitute_fields(factors_.data(), between_, coupling_.data(), nodes_, b.data(), x.data());
    charge(effort_.seconds.back);
  }

 private:
  std::size_t nodes_{};
  std::vector<row_pair> rows_;
  std::vector<factor_pair> factors_;
  middle_row between_{};
  std::vector<double> coupling_;
};

REPRISE_VARIANT(solver, cpu_structured,
                {.summary = "one thread, three tridiagonal systems from both ends",
                 .place = "",
                 .precisions = {precision::double_},
                 .per_unit = cpu_structured::counted(400, factoring::every_solve)});

}  // namespace
}  // namespace reprise::angiogenesis
