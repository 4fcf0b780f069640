// SPDX-License-Identifier: MIT
// Where the time of attempts goes that two streams work on: one computes and waits for the other, which
// exchanges.
#pragma once

#include <deque>

#include "solvers/common/cuda.hpp"
#include "solvers/common/cuda_exchange.hpp"
#include "solvers/common/ranks.hpp"

namespace reprise::curvature {
inline namespace REPRISE_CUDA_FLAVOUR {

// When a stream came to a point.
class mark {
 public:
  explicit mark(cudaStream_t on) {
    REPRISE_CUDA(cudaEventCreate(&event_));
    REPRISE_CUDA(cudaEventRecord(event_, on));
  }
  mark(const mark&) = delete;
  mark& operator=(const mark&) = delete;
  ~mark() { static_cast<void>(cudaEventDestroy(event_)); }

  double seconds_until(const mark& later) const {
    float milliseconds = 0;
    REPRISE_CUDA(cudaEventElapsedTime(&milliseconds, event_, later.event_));
    return 1e-3 * static_cast<double>(milliseconds);
  }

 private:
  cudaEvent_t event_{};
};

// Notes nothing before start() and after split().
class timeline {
 public:
  void start(cudaStream_t computing) {
    is_on_ = true;
    whole_.emplace_back(computing);
  }
  void stop(cudaStream_t computing) { whole_.emplace_back(computing); }

  void wait(cudaStream_t computing, cuda::signal& until) {
    note(waits_, computing);
    until.await(computing);
    note(waits_, computing);
  }
  template <class Action>
  void exchange(cudaStream_t on, Action action) {
    note(exchanges_, on);
    action();
    note(exchanges_, on);
  }

  // Of each of the attempts, all of which are done.
  ranks::time_split split(int attempts) {
    ranks::time_split each;
    each.step = seconds_in(whole_) / attempts;
    each.wait = seconds_in(waits_) / attempts;
    each.exchange = seconds_in(exchanges_) / attempts;
    each.compute = each.step - each.wait;
    is_on_ = false;
    for (auto* marks : {&whole_, &waits_, &exchanges_}) marks->clear();
    return each;
  }

 private:
  using stretches = std::deque<mark>;  // each from one mark to the next

  void note(stretches& in, cudaStream_t on) const {
    if (is_on_) in.emplace_back(on);
  }
  static double seconds_in(const stretches& all) {
    double seconds = 0;
    for (std::size_t n = 0; n + 1 < all.size(); n += 2) seconds += all[n].seconds_until(all[n + 1]);
    return seconds;
  }

  bool is_on_{};
  stretches whole_, waits_, exchanges_;
};

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::curvature
