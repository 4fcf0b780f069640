// SPDX-License-Identifier: MIT
// How far one state of a tissue is from another that the same steps have led to in more digits.
#pragma once

#include "reference/tissue/reference.hpp"
#include "solvers/tissue/problem.hpp"

namespace reprise::verification::tissue {

struct departure {
  double of_u{};     // the L2 norm of the difference of u, over that of u
  double largest{};  // the largest difference of u, over the largest u
  double of_front{};
};

// NaN where a value is. The front is where u is at least half as steep as at its steepest cell; it has moved by the
// difference of u over its slope, in spacings. That holds while it has moved by less than its own width, which is then
// the result.
departure departure_of(const reprise::tissue::problem& p, const reference::tissue::state& from_exact,
                       const reference::tissue::state& exact);

}  // namespace reprise::verification::tissue
