// SPDX-License-Identifier: MIT
// Values that resident blocks, of one GPU or of several, send each other through global memory without fences or flags.
// A value travels in 64-bit words. Each word holds 32 bits of the value and, as a tag, the number of the exchange; the
// value has arrived when all of its words carry that tag. Callers must alternate between two sets of boxes. A box is
// then written again only after its readers have moved on, which the values that they sent in between prove.
#pragma once

#include <thread>

#include "solvers/common/cuda/cuda.hpp"
#include "solvers/common/cuda/wait.hpp"

namespace reprise::cuda {
inline namespace REPRISE_CUDA_FLAVOUR {

constexpr int mail_words_of(float) {
  return 1;
}
constexpr int mail_words_of(double) {
  return 2;
}
template <class Real>
constexpr int mail_words = mail_words_of(Real{});

__device__ inline unsigned long long tagged(unsigned half, unsigned tag) {
  return (static_cast<unsigned long long>(tag) << 32U) | half;
}

template <reach readers = reach::device>
__device__ void post(unsigned long long* box, unsigned tag, float value) {
  store_relaxed<readers>(box, tagged(__float_as_uint(value), tag));
}

template <reach readers = reach::device>
__device__ void post(unsigned long long* box, unsigned tag, double value) {
  const auto bits = static_cast<unsigned long long>(__double_as_longlong(value));
  store_relaxed<readers>(box, tagged(static_cast<unsigned>(bits), tag));
  store_relaxed<readers>(box + 1, tagged(static_cast<unsigned>(bits >> 32U), tag));
}

// The words of one value as last read.
template <class Real, reach senders = reach::device>
struct letter {
  unsigned long long words[mail_words<Real>];

  __device__ void look(const unsigned long long* box) {
#pragma unroll
    for (int w = 0; w < mail_words<Real>; ++w) words[w] = load_relaxed<senders>(box + w);
  }
  __device__ bool has_come(unsigned tag) const {
    bool complete = true;
#pragma unroll
    for (int w = 0; w < mail_words<Real>; ++w)
      complete = complete && static_cast<unsigned>(words[w] >> 32U) == tag;
    return complete;
  }
  __device__ Real value() const {
    if constexpr (mail_words<Real> == 1) {
      return __uint_as_float(static_cast<unsigned>(words[0]));
    } else {
      return __longlong_as_double(static_cast<long long>(words[1] << 32U | (words[0] & 0xffffffffU)));
    }
  }
};

// Says that a thread waits for another process. In emulation such a launch is not deadlocked because its own threads
// only wait, and the other process needs the processor.
__device__ inline void expect_other_process() {
#ifdef REPRISE_CUDA_EMULATED
  ++cuda_emulated::signs_of_life;
  std::this_thread::yield();
#endif
}

// Waits for one value.
template <reach senders = reach::device, class Real>
__device__ void collect(const unsigned long long* box, unsigned tag, Real& value, const patience& most) {
  letter<Real, senders> mail;
  wait_until(most, [&] {
    mail.look(box);
    const bool has_come = mail.has_come(tag);
    if (senders == reach::host && !has_come) expect_other_process();
    return has_come;
  });
  value = mail.value();
}

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::cuda
