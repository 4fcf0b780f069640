// SPDX-License-Identifier: MIT
// How far a trajectory with steep fronts is from its reference: by resampled voltages, and by the nearer of
// two distances, along the voltage and along the time.
#pragma once

#include "verification/checkers/spline.hpp"

namespace reprise::checkers {

// Each is not a number where a curve is not sound.

// Relative root-mean-square distance over the multiples of `spacing` that both curves cover, on cubic
// splines. The sum below is of the answer's squares, as printed.
double rrms(const curve& answer, const curve& reference, double spacing);

struct interpolated_error {
  // The largest over the answer's points of the smaller of two distances to the reference: of values at the
  // same time, and of times at the same value; mixed as numbers, whatever their units. Where the reference
  // never has the point's value, as around a peak, only the first is left, however steep the reference is.
  double absolute{};
  double relative{};  // over the largest magnitude of the answer
  // The same, but a point whose value the reference does not take within `window` of its time is measured by
  // the distance to the nearest value that it does take there.
  double peak_safe{};
  double peak_safe_relative{};
};
interpolated_error interpolation_error(const curve& answer, const curve& reference, double window);

// The largest distance in time between activations, the first with the first and so on: upward passages of
// `threshold`, of which one counts again only after the value was below `rest`. Not a number where the two
// differ in how many there are.
double activation_shift(const curve& answer, const curve& reference, double threshold, double rest);

}  // namespace reprise::checkers
