// SPDX-License-Identifier: MIT
// Streams and events, and what is made of them: signals between streams, a stopwatch.
#pragma once

#include "solvers/common/base/stopwatch.hpp"
#include "solvers/common/cuda/call.hpp"

namespace reprise::cuda {
inline namespace REPRISE_CUDA_FLAVOUR {

// An urgent stream has the highest priority: its blocks start before those of other streams as soon as there
// is room.
enum class urgency { usual, urgent };

// A blocking stream: it synchronises with the default stream, so that copies wait for it. Not movable.
class stream {
 public:
  explicit stream(urgency how = urgency::usual) {
    if (how == urgency::usual) {
      REPRISE_CUDA(cudaStreamCreate(&stream_));
    } else {
      int least = 0;
      int greatest = 0;
      REPRISE_CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
      REPRISE_CUDA(cudaStreamCreateWithPriority(&stream_, cudaStreamDefault, greatest));
    }
  }
  stream(const stream&) = delete;
  stream& operator=(const stream&) = delete;
  ~stream() { static_cast<void>(cudaStreamDestroy(stream_)); }

  cudaStream_t get() const { return stream_; }
  void synchronize() { REPRISE_CUDA(cudaStreamSynchronize(stream_)); }

 private:
  cudaStream_t stream_{};
};

// A point of a stream. Not movable.
class event {
 public:
  event() { REPRISE_CUDA(cudaEventCreate(&event_)); }
  explicit event(unsigned flags) { REPRISE_CUDA(cudaEventCreateWithFlags(&event_, flags)); }
  event(const event&) = delete;
  event& operator=(const event&) = delete;
  ~event() { static_cast<void>(cudaEventDestroy(event_)); }

  void record(cudaStream_t on) { REPRISE_CUDA(cudaEventRecord(event_, on)); }
  void await(cudaStream_t on) { REPRISE_CUDA(cudaStreamWaitEvent(on, event_, 0)); }
  // Waits for the later one.
  double seconds_until(const event& later) const {
    REPRISE_CUDA(cudaEventSynchronize(later.event_));
    float milliseconds = 0;
    REPRISE_CUDA(cudaEventElapsedTime(&milliseconds, event_, later.event_));
    return 1e-3 * static_cast<double>(milliseconds);
  }

 private:
  cudaEvent_t event_{};
};

// Makes one stream wait for another without involving the host.
class signal {
 public:
  void give(cudaStream_t from) { event_.record(from); }
  void await(cudaStream_t on) { event_.await(on); }

 private:
  event event_{cudaEventDisableTiming};
};

// Measures the time between two events of a stream.
class event_stopwatch final : public stopwatch {
 public:
  explicit event_stopwatch(cudaStream_t on = nullptr) : stream_(on) {}
  void start() override { begin_.record(stream_); }
  double stop() override {
    end_.record(stream_);
    return begin_.seconds_until(end_);
  }

 private:
  cudaStream_t stream_;
  event begin_;
  event end_;
};

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::cuda
