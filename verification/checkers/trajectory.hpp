// SPDX-License-Identifier: MIT
// Measures how far a trajectory with steep fronts is from its reference: by resampled voltages, and by the
// smaller of two distances, along the voltage and along the time.
#pragma once

#include "verification/checkers/spline.hpp"

namespace reprise::checkers {

// Each returns NaN if a curve is not sound or a number not finite.

// Relative root-mean-square distance of cubic splines at the multiples of `spacing` that both curves cover.
// The denominator sums the answer's squares, as in the paper.
double rrms(const curve& answer, const curve& reference, double spacing);

struct interpolated_error {
  // The maximum over the answer's points of the smaller of two distances to the reference: of values at
  // the same time, and of times at the same value. They are compared as numbers, regardless of their
  // units. If the reference never takes the point's value, as around a peak, only the first distance
  // counts, however steep the reference is.
  double absolute{};
  double relative{};  // over the largest magnitude of the answer
  // The same, except for a point whose value the reference does not take within `window` of its time: its
  // distance is then measured to the nearest value that the reference takes there.
  double peak_safe{};
  double peak_safe_relative{};
};
interpolated_error interpolation_error(const curve& answer, const curve& reference, double window);

// The largest distance of a point of either curve from the other curve, in the plane of time and value, in which a
// unit of each counts the same. Unlike interpolation_error it moves smoothly: an early and slightly higher peak is as
// far as the tip of the reference's peak, a shift counts by its length where the curve is steep, and an offset by its
// height where it is flat. Both directions are taken, so that a missing or cut-off peak counts as well as an extra one.
// Only the times that both curves cover count. A point is never farther than from the end of the other curve, which may
// reach its value just afterwards.
double curve_distance(const curve& answer, const curve& reference);

// The largest difference in time between corresponding activations. An activation is an upward
// crossing of `threshold`; the next one counts only after the value was below `rest`. NaN if the
// numbers of activations differ.
double activation_shift(const curve& answer, const curve& reference, double threshold, double rest);

}  // namespace reprise::checkers
