// SPDX-License-Identifier: MIT
// Waits between resident blocks. Every wait has a limit of time: a kernel whose blocks wait for each other in
// vain must end with an error, and not keep the device until somebody ends the program. Only for sources with
// kernels: nvcc or the emulation must compile it.
#pragma once

#include <atomic>
#include <chrono>

#include "solvers/common/base/patience.hpp"
#include "solvers/common/cuda/call.hpp"

namespace reprise::cuda {
inline namespace REPRISE_CUDA_FLAVOUR {

// How long the threads of a launch may wait for another block. An argument of kernels.
struct patience {
  int ticks{};
  unsigned long long* last_word{};  // for the device it lies in the host's memory; unused in emulation
};

#ifdef REPRISE_CUDA_EMULATED
inline patience patience_of(double seconds) {
  return {ticks_of(seconds), nullptr};
}
#else
// For the current device.
inline patience patience_of(double seconds) {
  int current = 0;
  REPRISE_CUDA(cudaGetDevice(&current));
  return {ticks_of(seconds), last_words_of_kernels() + current};
}
#endif

inline patience usual_patience() {
  static const double seconds = patience_seconds();
  return patience_of(seconds);
}

// Where the code is that looks at the clock. A call of a function keeps it out of the loop that waits, which is faster
// unless the call costs registers that the kernel lacks: measure.
enum class clock_code { apart, in_loop };

// One wait of a thread for another block, in rounds of looks_between_pauses looks and a pause().
template <clock_code place = clock_code::apart>
class wait {
 public:
  __device__ explicit wait(const patience& most) : most_(most) {}
  wait(patience&&) = delete;  // would not outlive this line

  // Lets the emulation run other blocks. Stops the kernel if the wait has taken too long.
  __device__ void pause() {
#ifdef REPRISE_CUDA_EMULATED
    cuda_emulated::pause();
#endif
    if (++rounds_ % rounds_between_looks != 0) return;
    since_ = place == clock_code::apart ? called_look(most_, since_) : looked_at_clock(most_, since_);
  }

 private:
#ifdef REPRISE_CUDA_EMULATED
  static constexpr unsigned rounds_between_looks = 64;  // at the clock

  static unsigned ticks() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<unsigned>(std::chrono::nanoseconds(now).count() >> tick_shift);
  }

  [[noreturn]] static void give_up(const patience& most) {
    throw error(sentence_of(word(most)));
  }
#else
  // Reading the clock takes longer than a round. This many rounds take some tens of milliseconds.
  static constexpr unsigned rounds_between_looks = 1U << 13U;

  __device__ static unsigned ticks() {
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return static_cast<unsigned>(now >> tick_shift);
  }

  // A trap ends the kernel with an error that does not say why, so the reason goes to the host first.
  __device__ static void give_up(const patience& most) {
    *const_cast<volatile unsigned long long*>(most.last_word) = word(most);
    __threadfence_system();
    __trap();
  }
#endif

  __device__ static unsigned long long word(const patience& most) {
    return last_word(blockIdx.x + blockIdx.y * gridDim.x, threadIdx.x + threadIdx.y * blockDim.x, most.ticks);
  }

  // Returns when the wait began; 0 stands for a wait that has not looked at the clock yet, so the lowest bit is set.
  __device__ static unsigned looked_at_clock(const patience& most, unsigned since) {
    const unsigned now = ticks();
    if (since == 0) return now | 1U;
    if (static_cast<int>(now - since) >= most.ticks) give_up(most);
    return since;
  }
  [[gnu::noinline]] __device__ static unsigned called_look(patience most, unsigned since) {
    return looked_at_clock(most, since);
  }

  const patience& most_;
  unsigned rounds_{};
  unsigned since_{};  // time of the first look at the clock; 0 before it
};

#ifdef REPRISE_CUDA_EMULATED
constexpr int looks_between_pauses = 1;  // other blocks run in a pause only
#else
constexpr int looks_between_pauses = 8;  // counting each would delay what waits
#endif

// Looks until `is_there` is true. Stops the kernel if that takes too long.
template <clock_code place = clock_code::apart, class Look>
__device__ void wait_until(const patience& most, Look is_there) {
  for (wait<place> w(most);; w.pause()) {
    for (int n = 0; n < looks_between_pauses; ++n)
      if (is_there()) return;
  }
}

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::cuda
