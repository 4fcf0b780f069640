// SPDX-License-Identifier: MIT
// Checks kernels of elimination that are launched alone, many times for the first column.
#pragma once

#include <string>

#include "solvers/angiogenesis/variant.hpp"
#include "verification/checkers/finding.hpp"

namespace reprise::verification::angiogenesis {

// An augmented matrix of an order with numbers drawn at random, whose largest entry of the first column lies
// below the first row, and no pivot found yet.
reprise::angiogenesis::kernel_state drawn_state(int order);

// Judges what launches of the kernel "pivot", "swap" or "eliminate" made of a state. The rows that are
// swapped are the first and the last.
checkers::finding judge_launches(const std::string& metric, const std::string& kernel,
                                 const reprise::angiogenesis::kernel_state& before, long launches,
                                 const reprise::angiogenesis::kernel_state& after);

}  // namespace reprise::verification::angiogenesis
