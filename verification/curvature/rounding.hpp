// SPDX-License-Identifier: MIT
// The unit of rounding.
#pragma once

#include <limits>

#include "solvers/common/base/registry.hpp"

namespace reprise::verification::curvature {

inline double unit_roundoff(precision arithmetic) {
  return arithmetic == precision::single ? std::numeric_limits<float>::epsilon() / 2
                                         : std::numeric_limits<double>::epsilon() / 2;
}

}  // namespace reprise::verification::curvature
