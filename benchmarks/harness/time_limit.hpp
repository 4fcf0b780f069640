// SPDX-License-Identifier: MIT
// How long a case may take, if its run has a budget.
#pragma once

#include <chrono>
#include <limits>
#include <string>
#include <utility>

namespace reprise::harness {

// Counts from its construction. Whoever works asks it between samples: a sample itself is never cut off.
class time_limit {
 public:
  time_limit() = default;  // as long as it takes

  // `whose` says who sets the limit, in a row's reason: "its plan for 60 s".
  time_limit(double seconds, std::string whose) : seconds_(seconds), whose_(std::move(whose)) {}

  // Keeps time for what must still follow.
  void keep_back(double seconds) { kept_back_ = seconds; }

  double seconds() const { return seconds_; }
  const std::string& whose() const { return whose_; }
  double left() const { return seconds_ - kept_back_ - spent(); }
  bool is_over() const { return left() <= 0; }
  double spent() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  double seconds_{std::numeric_limits<double>::infinity()};
  double kept_back_{};
  std::string whose_;
  std::chrono::steady_clock::time_point begin_{std::chrono::steady_clock::now()};
};

}  // namespace reprise::harness
