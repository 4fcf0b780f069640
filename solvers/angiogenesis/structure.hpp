// SPDX-License-Identifier: MIT
// The structure of the model's matrix, read from its entries: C, P and I are tridiagonal, P depends on C at
// the same node, and F is independent.
#pragma once

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "solvers/angiogenesis/variant.hpp"

namespace reprise::angiogenesis {

struct field_rows {
  std::vector<double> lower, diagonal, upper;
};

struct structure {
  std::size_t nodes{};
  std::array<field_rows, fields> rows;
  std::vector<double> coupling;  // coefficients of C in P's rows
};

// Throws unavailable for a matrix without this structure.
inline structure read_structure(const matrix& a) {
  const std::string only = "solves the model's own matrix only: ";
  if (a.blocks != fields || a.order % fields != 0 || a.order < 3 * fields)
    throw unavailable(only + "four fields of 3 nodes or more");
  structure s;
  s.nodes = a.size() / fields;
  s.coupling.assign(s.nodes, 0);
  for (field_rows& f : s.rows)
    for (auto* values : {&f.lower, &f.diagonal, &f.upper}) values->assign(s.nodes, 0);
  for (std::size_t row = 0; row < a.size(); ++row) {
    const std::size_t block = row / s.nodes, i = row % s.nodes;
    field_rows& f = s.rows[block];
    for (std::size_t e = a.begin(row); e < a.end(row); ++e) {
      const auto column = static_cast<std::size_t>(a.column[e]);
      if (column == row) {
        f.diagonal[i] = a.value[e];
      } else if (column + 1 == row && i > 0 && block < 3) {
        f.lower[i] = a.value[e];
      } else if (column == row + 1 && i + 1 < s.nodes && block < 3) {
        f.upper[i] = a.value[e];
      } else if (block == 1 && column == i) {
        s.coupling[i] = a.value[e];
      } else {
        throw unavailable(only + "row " + std::to_string(row) + " has an entry in column " +
                          std::to_string(column));
      }
    }
    const bool is_dominated = f.diagonal[i] > std::abs(f.lower[i]) + std::abs(f.upper[i]);
    if (!is_dominated || (block == 3 && f.diagonal[i] != 1))
      throw unavailable(only + "row " + std::to_string(row) +
                        " is not dominated by its diagonal or, of F, not that of the identity");
  }
  return s;
}

// The rows of C, P and I one after the other: of each the lower entries, the diagonal and the upper ones.
inline std::vector<double> joined_rows(const structure& s) {
  constexpr std::size_t systems = 3;
  std::vector<double> all;
  all.reserve(3 * systems * s.nodes);
  for (std::size_t f = 0; f < systems; ++f)
    for (const auto* values : {&s.rows[f].lower, &s.rows[f].diagonal, &s.rows[f].upper})
      all.insert(all.end(), values->begin(), values->end());
  return all;
}

// Work of a solve in runs of nodes (cuda_tridiagonal.hpp).
inline work work_in_runs(double nodes, factoring when) {
  const bool factorises = when == factoring::every_solve;
  return {.bytes_logical = sizeof(double) * nodes * ((factorises ? 3 * 13 : 0) + 3 * 12 + 4),
          .bytes_dram = sizeof(double) * nodes * ((factorises ? 9 : 0) + 3 * 5 + 1 + 8),
          .bytes_dram_once = 0,
          .flops = nodes * ((factorises ? 3 * 10 : 0) + 3 * 9 + 2)};
}

}  // namespace reprise::angiogenesis
