// SPDX-License-Identifier: MIT
// What the host's vector code needs beyond GCC's vector types: clones for newer processors, stores past the
// caches, an exponential for vectors.
#pragma once

#include <cmath>
#include <cstring>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

// One binary serves old and new x86 processors: the loader picks the clone. Sanitizers run before the loader
// has resolved the choice, so their builds do without.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)
#define REPRISE_SIMD_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define REPRISE_SIMD_CLONES
#endif

// glibc has exp for vectors, good to 4 units in the last place, but its header tells only callers who gave up
// the rules of arithmetic altogether.
#if defined(__x86_64__) && defined(__GLIBC__)
extern "C" {
#pragma omp declare simd notinbranch
double exp(double) noexcept;
}
#endif

namespace reprise {

// Four values to an address that is a multiple of 16 bytes, where the processor can without reading their
// line first.
inline void store_past_caches(float* to, const float* from) {
#if defined(__SSE__)
  _mm_stream_ps(to, _mm_loadu_ps(from));
#else
  std::memcpy(to, from, 4 * sizeof(float));
#endif
}

// Such stores are ordered with nothing else, the barrier at the end of a parallel loop included.
inline void finish_stores_past_caches() {
#if defined(__SSE__)
  _mm_sfence();
#endif
}

}  // namespace reprise
