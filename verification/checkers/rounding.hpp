// SPDX-License-Identifier: MIT
// The unit of rounding, on which limits are built.
#pragma once

#include <limits>

#include "solvers/common/base/registry.hpp"

namespace reprise::checkers {

// Half the distance from 1 to the next number.
constexpr double unit_roundoff(precision arithmetic) {
  return arithmetic == precision::single ? std::numeric_limits<float>::epsilon() / 2
                                         : std::numeric_limits<double>::epsilon() / 2;
}

}  // namespace reprise::checkers
