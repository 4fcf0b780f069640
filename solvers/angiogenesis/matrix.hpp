// SPDX-License-Identifier: MIT
// Sparse matrices by rows, the matrices A = I - dt/2 L and B = I + dt/2 L of a problem, and errors about
// matrices that cannot be solved. Place: section 3, (3)-(7).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "solvers/angiogenesis/problem.hpp"
#include "solvers/common/base/error.hpp"

namespace reprise::angiogenesis {

// A sparse matrix. Row i has the entries row_begin[i] ... row_begin[i + 1] - 1, by increasing column.
struct matrix {
  int order{};
  int blocks{1};  // number of fields of equal length that the unknowns consist of
  std::vector<int> row_begin{0};
  std::vector<int> column;
  std::vector<double> value;

  std::size_t size() const { return static_cast<std::size_t>(order); }
  std::size_t begin(std::size_t row) const { return static_cast<std::size_t>(row_begin[row]); }
  std::size_t end(std::size_t row) const { return static_cast<std::size_t>(row_begin[row + 1]); }
  void add(std::size_t to_column, double entry) {
    column.push_back(static_cast<int>(to_column));
    value.push_back(entry);
  }
  void end_row() { row_begin.push_back(static_cast<int>(column.size())); }
};

// Thrown for a matrix that cannot be solved in floating-point arithmetic. `column`
// (from 0) is where that showed.
class bad_matrix : public bad_input {
 public:
  bad_matrix(int column, const std::string& what)
      : bad_input("column " + std::to_string(column) + " of the matrix " + what), column_(column) {}
  int column() const { return column_; }

 private:
  int column_;
};

inline void require_finite(const matrix& a) {
  for (std::size_t e = 0; e < a.value.size(); ++e)
    if (!std::isfinite(a.value[e])) throw bad_matrix(a.column[e], "has an entry that is not finite");
}

[[noreturn]] inline void refuse_singular(int column) {
  throw bad_matrix(column, "has no pivot above rounding: the matrix is singular, or all but");
}

// For each column the limit n u max_i |a_ij|: a pivot that is not larger cannot be told
// from rounding errors of zero.
inline std::vector<double> pivot_floors(const matrix& a) {
  std::vector<double> floors(a.size());
  for (std::size_t e = 0; e < a.value.size(); ++e) {
    double& largest = floors[static_cast<std::size_t>(a.column[e])];
    largest = std::max(largest, std::abs(a.value[e]));
  }
  for (double& floor : floors) floor *= a.order * std::numeric_limits<double>::epsilon() / 2;
  return floors;
}

// Written so that NaN is not accepted as a pivot.
inline bool is_pivot(double value, double floor) {
  return std::abs(value) > floor && std::isfinite(value);
}

// Computes y = A x.
inline void multiply(const matrix& a, std::span<const double> x, std::span<double> y) {
  for (std::size_t row = 0; row < a.size(); ++row) {
    double sum = 0;
    for (std::size_t e = a.begin(row); e < a.end(row); ++e)
      sum += a.value[e] * x[static_cast<std::size_t>(a.column[e])];
    y[row] = sum;
  }
}

// max |b - A x| / (max row sum of |A| * max |x| + max |b|); NaN if x contains one.
inline double backward_error(const matrix& a, std::span<const double> x, std::span<const double> b) {
  double residual = 0, row_sum = 0, size_x = 0, size_b = 0;
  for (std::size_t row = 0; row < a.size(); ++row) {
    double difference = b[row], sum = 0;
    for (std::size_t e = a.begin(row); e < a.end(row); ++e) {
      difference -= a.value[e] * x[static_cast<std::size_t>(a.column[e])];
      sum += std::abs(a.value[e]);
    }
    if (!(std::abs(difference) <= residual)) residual = std::abs(difference);
    if (std::isnan(residual)) return residual;
    row_sum = std::max(row_sum, sum);
    size_x = std::max(size_x, std::abs(x[row]));
    size_b = std::max(size_b, std::abs(b[row]));
  }
  const double scale = row_sum * size_x + size_b;
  return scale > 0 ? residual / scale : residual;
}

// The values of T at the nodes.
inline std::vector<double> tumour_factor(const problem& p) {
  std::vector<double> t;
  for (int i = 0; i < p.nodes; ++i) t.push_back(std::exp(-(1 - p.x(i)) * (1 - p.x(i)) / p.parameters.eps));
  return t;
}

// Adds one field's rows of I + scale * L: diffusion with a ghost node that mirrors the inner neighbour,
// decay, and the term that depends on the first field.
inline void add_field(matrix& a, const problem& p, std::size_t block, double scale, double diffusion,
                      double decay, std::span<const double> from_first) {
  const auto m = static_cast<std::size_t>(p.nodes);
  const std::size_t offset = block * m;
  const double r = scale * diffusion / (p.h() * p.h());
  for (std::size_t i = 0; i < m; ++i) {
    if (!from_first.empty()) a.add(i, scale * from_first[i]);
    if (i > 0) a.add(offset + i - 1, i + 1 == m ? 2 * r : r);
    a.add(offset + i, 1 - 2 * r - scale * decay);
    if (i + 1 < m) a.add(offset + i + 1, i == 0 ? 2 * r : r);
    a.end_row();
  }
}

// I + scale * L, which is A for scale = -dt/2 and B for scale = dt/2.
inline matrix shifted_operator(const problem& p, double scale) {
  std::vector<double> production = tumour_factor(p);
  for (double& t : production) t *= p.parameters.k4;
  matrix a;
  a.order = p.unknowns();
  a.blocks = fields;
  add_field(a, p, 0, scale, p.parameters.d_c, 0, {});
  add_field(a, p, 1, scale, p.parameters.d_p, p.parameters.k6, production);
  add_field(a, p, 2, scale, p.parameters.d_i, 0, {});
  for (int i = 0; i < p.nodes; ++i) {
    a.add(static_cast<std::size_t>(3 * p.nodes + i), 1);
    a.end_row();
  }
  return a;
}

inline matrix implicit_matrix(const problem& p) {
  return shifted_operator(p, -p.dt / 2);
}
inline matrix explicit_matrix(const problem& p) {
  return shifted_operator(p, p.dt / 2);
}

}  // namespace reprise::angiogenesis
