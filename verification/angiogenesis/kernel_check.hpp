// SPDX-License-Identifier: MIT
// Checks kernels of elimination that are launched alone, for some columns of a matrix.
#pragma once

#include <span>
#include <string>

#include "solvers/angiogenesis/variant.hpp"
#include "verification/checkers/finding.hpp"

namespace reprise::verification::angiogenesis {

// The matrix with a right-hand side of ones, and no pivot found yet.
reprise::angiogenesis::kernel_state state_of(const reprise::angiogenesis::matrix& a);

// An augmented matrix of an order with numbers drawn at random. The largest entry of the first column lies below the first
// row; but elimination gets a matrix that its diagonal dominates, because it does not swap.
reprise::angiogenesis::kernel_state drawn_state(int order, const std::string& kernel);

// Judges what launches of the kernel "pivot", "swap" or "eliminate", one for each of these columns, made of a state. The
// rows that are swapped are the column's and the last.
checkers::finding judge_launches(const std::string& metric, const std::string& kernel,
                                 const reprise::angiogenesis::kernel_state& before,
                                 std::span<const int> columns,
                                 const reprise::angiogenesis::kernel_state& after);

}  // namespace reprise::verification::angiogenesis
