// SPDX-License-Identifier: MIT
// The polynomial of exponentials without branches: of numbers on a device, and of vectors on the host.
#pragma once

#include <type_traits>

#include "solvers/common/base/host_device.hpp"

// Vectors as wide as a cache line are passed only to inlined functions.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

namespace reprise {

// (exp(r) - 1) / r for |r| < ln(2) / 2, in arithmetic of this Scalar. The terms after 1 are fitted there; as exp(r) it
// has an error of a seventh of the rounding error in double precision, and of a tenth in single precision.
template <class Scalar, class Value>
REPRISE_INLINED Value exponential_tail(const Value& r) {
  if constexpr (std::is_same_v<Scalar, float>) {
    Value series = .0013926250394433737F * r + .00836323294788599F;
    series = series * r + .04166655242443085F;
    series = series * r + .16666576266288757F;
    series = series * r + .5F;
    return series * r + 1.F;
  } else {
    Value series = 2.510038549551032e-08 * r + 2.7620088445409746e-07;
    series = series * r + 2.7557268459997064e-06;
    series = series * r + 2.4801521295954376e-05;
    series = series * r + .00019841269863053618;
    series = series * r + .0013888888917213717;
    series = series * r + .008333333333330062;
    series = series * r + .04166666666662413;
    series = series * r + .16666666666666669;
    series = series * r + .5000000000000001;
    return series * r + 1.;
  }
}

}  // namespace reprise

#pragma GCC diagnostic pop
