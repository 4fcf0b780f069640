// SPDX-License-Identifier: MIT
// Repeats a timing until it is known well enough. Google Benchmark runs the iterations and keeps the record;
// every iteration is one sample, timed by the device's own clock.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace reprise::harness {

struct summary {
  double median{}, q1{}, q3{};
  int samples{};
  double relative_iqr() const { return median > 0 ? (q3 - q1) / median : 0; }
};

// Quartiles by linear interpolation between order statistics. The values must not be empty.
summary summarize(std::vector<double> values);

// Even a slow case needs a few samples for its quartiles.
constexpr int fewest_samples = 3;

// Sampling stops with enough samples whose interquartile range is small relative to the median, when the time
// budget is spent, or at the maximal number of samples. After `most_seconds` it stops with any number.
struct stopping_rule {
  double budget_seconds{1.0};
  int min_samples{10};
  int max_samples{500};
  double target_relative_iqr{0.02};
  double most_seconds{std::numeric_limits<double>::infinity()};

  bool is_finished(const std::vector<double>& samples, double elapsed_seconds) const;
};

class sampler {
 public:
  // The arguments are Google Benchmark's own flags. Throws bad_input for one that it does not know.
  explicit sampler(const std::vector<std::string>& engine_flags);
  ~sampler();

  // Whether the user's --benchmark_filter leaves cases of this name in.
  bool accepts(const std::string& name) const;

  // Calls `once`, which returns the seconds of one sample, until the stopping rule is met. Exceptions of `once` are
  // rethrown.
  std::vector<double> sample(const std::string& name, const stopping_rule& rule,
                             const std::function<double()>& once);

 private:
  struct engine;
  std::unique_ptr<engine> engine_;
};

}  // namespace reprise::harness
