// SPDX-License-Identifier: MIT
// Predicts the time of a step on more ranks than were measured, from lines fitted to the measurements.
//
//   n            cells of a rank
//   C(n)         = a n + b        seconds that a rank computes
//   E(n)         = l + h sqrt(n)  seconds from packing the border to the neighbours' arrival: a latency, and
//                                 bytes over bandwidth, since a border's length is the root of an area
//   t(n)         = max(C, E) + o  the exchange overlaps the computation; o is the mean excess of the
//                                 measured steps over this maximum
#pragma once

#include <optional>
#include <span>

namespace reprise::harness::scale {

// y = slope x + offset by least squares of relative residuals, with the variances of the coefficients.
class fitted_line {
 public:
  struct point {
    double x{};
    double y{};
  };
  // Empty for fewer than three points, whose scatter is unknown, or if all have the same x.
  static std::optional<fitted_line> through(std::span<const point> points);

  double at(double x) const { return slope_ * x + offset_; }
  double deviation(double x) const;  // standard deviation of at(x)

 private:
  double slope_{}, offset_{};
  double of_slope_{}, of_offset_{}, of_both_{};  // variances and covariance
};

// One measured case, in seconds per step.
struct measured_step {
  int ranks{};
  double cells{};
  double step{};
  double compute{};   // slowest rank's; the whole step on one rank
  double exchange{};  // 0 on one rank
};

struct predicted_step {
  double seconds{};
  double shortest{}, longest{};  // bounds: exchange fully hidden or not at all, two deviations beyond
};

class model {
 public:
  // Empty if there are too few points for a line.
  static std::optional<model> of(std::span<const measured_step> steps);
  predicted_step predict(int ranks, double cells) const;

 private:
  model(fitted_line compute, fitted_line exchange) : compute_(compute), exchange_(exchange) {}

  fitted_line compute_;
  fitted_line exchange_;
  double overhead_{};
};

}  // namespace reprise::harness::scale
