// SPDX-License-Identifier: MIT
// Shared parts of the solvers of full matrices: the check that the matrix fits the host's
// memory, its filling, and its work.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "solvers/angiogenesis/variant.hpp"

namespace reprise::angiogenesis {

// Throws unavailable unless that many bytes of memory are free. Without this check a matrix that is too large
// would end the process: the system assigns memory only when it is touched, so allocation does not fail.
inline void require_memory(double bytes) {
  const double free =
      static_cast<double>(sysconf(_SC_AVPHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  constexpr double gib = 1 << 30;
  if (bytes <= .9 * free) return;
  char text[96];
  std::snprintf(text, sizeof text, "does not fit: the full matrix needs %.1f GiB of memory, %.1f are free",
                bytes / gib, free / gib);
  throw unavailable(text);
}

inline double dense_bytes(const matrix& a) {
  return sizeof(double) * static_cast<double>(a.order) * (static_cast<double>(a.order) + 1);
}

// Stores entry (i, j) at to[i * row_stride + j * column_stride].
inline void fill_dense(const matrix& a, std::span<double> to, std::size_t row_stride,
                       std::size_t column_stride) {
  std::fill(to.begin(), to.end(), 0.0);
  for (std::size_t row = 0; row < a.size(); ++row)
    for (std::size_t e = a.begin(row); e < a.end(row); ++e)
      to[row * row_stride + static_cast<std::size_t>(a.column[e]) * column_stride] = a.value[e];
}

// Throws bad_matrix unless diagonal(k), the diagonal of U, is a valid pivot in every column of the matrix.
template <class Diagonal>
void require_pivots(const std::vector<double>& floors, Diagonal diagonal) {
  for (std::size_t k = 0; k < floors.size(); ++k)
    if (!is_pivot(diagonal(k), floors[k])) refuse_singular(static_cast<int>(k));
}

// 2/3 n^3 flops to factorise and 2 n^2 to substitute. The compulsory traffic is the matrix read and written
// once to factorise, or read once to substitute.
inline work dense_work(double n, factoring when) {
  const double factor_flops = when == factoring::every_solve ? 2.0 / 3 * n * n * n : 0;
  const double factor_words = when == factoring::every_solve ? n * n * n / 3 * 2 : 0;
  const double least_words = when == factoring::every_solve ? 2 * n * n : n * n;
  return {.bytes_logical = sizeof(double) * (factor_words + n * n),
          .bytes_dram = sizeof(double) * (least_words + 2 * n),
          .bytes_dram_once = 0,
          .flops = factor_flops + 2 * n * n};
}

// The work for the paper's 400 nodes, used where no size is given.
inline work usual_dense_work() {
  return dense_work(1600, factoring::every_solve);
}

}  // namespace reprise::angiogenesis
