// SPDX-License-Identifier: MIT
// What a step would take on more ranks than there were: a prediction from lines fitted to what was measured.
//
//   n            cells of a rank
//   C(n)         = a n + b        seconds that a rank computes
//   E(n)         = l + h sqrt(n)  seconds from packing the border to the neighbours' arrival: latency, and
//                                 bytes over bandwidth, as a border is as long as the root of an area
//   t(n)         = max(C, E) + o  where the exchange goes on beside the computation, o being what the
//                                 steps measured take more than that
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace reprise::harness::scale {

// y = slope x + offset by least squares of relative distances, and how well points determine it.
class fitted_line {
 public:
  struct point {
    double x{};
    double y{};
  };
  // Nothing for fewer than three points, or all at one x: they would tell nothing of their own scatter.
  static std::optional<fitted_line> through(std::span<const point> points);

  double at(double x) const { return slope_ * x + offset_; }
  double deviation(double x) const;  // standard deviation of at(x)

 private:
  double slope_{}, offset_{};
  double of_slope_{}, of_offset_{}, of_both_{};  // variances and covariance
};

// One case that was measured, in seconds a step.
struct measured_step {
  int ranks{};
  double cells{};
  double step{};
  double compute{};   // of the slowest rank; the step itself on one rank
  double exchange{};  // on several ranks
};

struct predicted_step {
  double seconds{};
  double shortest{}, longest{};  // two deviations beyond: all of the exchange hidden, and nothing of it
};

class model {
 public:
  // Nothing where there are too few points for a line.
  static std::optional<model> of(std::span<const measured_step> steps);
  predicted_step predict(int ranks, double cells) const;

 private:
  model(fitted_line compute, fitted_line exchange) : compute_(compute), exchange_(exchange) {}

  fitted_line compute_;
  fitted_line exchange_;
  double overhead_{};
};

}  // namespace reprise::harness::scale
