// SPDX-License-Identifier: MIT
// Measures where the time of attempts goes on two streams: one computes and waits
// for the other, which exchanges.
#pragma once

#include <deque>

#include "solvers/common/cuda/stream.hpp"
#include "solvers/common/ranks/ranks.hpp"

namespace reprise::curvature {
inline namespace REPRISE_CUDA_FLAVOUR {

// Records events only between start() and split().
class timeline {
 public:
  void start(cudaStream_t computing) {
    is_on_ = true;
    note(whole_, computing);
  }
  void stop(cudaStream_t computing) { note(whole_, computing); }

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

  // Average times per attempt. All attempts must have ended.
  ranks::time_split split(int attempts) {
    ranks::time_split each;
    each.step = seconds_in(whole_) / attempts;
    each.wait = seconds_in(waits_) / attempts;
    each.exchange = seconds_in(exchanges_) / attempts;
    each.compute = each.step - each.wait;
    is_on_ = false;
    for (auto* events : {&whole_, &waits_, &exchanges_}) events->clear();
    return each;
  }

 private:
  using stretches = std::deque<cuda::event>;  // pairs of events: begin and end

  void note(stretches& in, cudaStream_t on) const {
    if (is_on_) in.emplace_back().record(on);
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
