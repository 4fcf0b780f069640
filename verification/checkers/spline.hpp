// SPDX-License-Identifier: MIT
// The cubic spline through the unevenly spaced points of a trajectory.
#pragma once

#include <vector>

namespace reprise::checkers {

// A function of time, linear between its points.
struct curve {
  std::vector<double> t;
  std::vector<double> v;

  // At least four points, as many times as values, increasing times, all of them finite.
  bool is_sound() const;
};

// A twice continuously differentiable spline with "not a knot" ends: the third derivative is also continuous
// at the second and the last but one point. It therefore reproduces cubics exactly and assumes nothing at the
// ends. A natural spline would assume zero curvature there, where a cell is still returning to rest.
// (Boost.Math's splines need equal distances or give up the continuous second derivative.)
class cubic_spline {
 public:
  explicit cubic_spline(const curve& through);  // must be sound and outlive the spline
  // Constant before the first and after the last point. Fast if t increases from call to call.
  double operator()(double t);

 private:
  const curve& points_;
  std::vector<double> curvature_;  // second derivatives
  std::size_t segment_{};
};

}  // namespace reprise::checkers
