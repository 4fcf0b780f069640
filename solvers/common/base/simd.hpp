// SPDX-License-Identifier: MIT
// Support for vector code on the host beyond GCC's vector types: clones for newer processors, streaming
// stores that bypass the caches, and a vector exponential.
#pragma once

#include <cmath>
#include <cstring>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

// One binary serves old and new x86 processors: the loader picks the clone. AddressSanitizer runs before the
// loader has made that choice, so its builds have no clones.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)
#define REPRISE_SIMD_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define REPRISE_SIMD_CLONES
#endif

// Makes everything that a clone calls a part of it: called functions have no clones, and so no wide vectors. Clang
// does not allow this for clones; it inlines more by itself.
#if defined(__clang__)
#define REPRISE_FLATTENED
#else
#define REPRISE_FLATTENED [[gnu::flatten]]
#endif

// glibc has a vector exp with an error of at most 4 units in the last place, but its header declares it only
// under -ffast-math. This declaration allows it without that option.
#if defined(__x86_64__) && defined(__GLIBC__)
extern "C" {
#pragma omp declare simd notinbranch
double exp(double) noexcept;
}
#endif

namespace reprise {

// Stores four values at an address that is a multiple of 16 bytes. Where the processor can, it does so
// without first reading their cache line.
inline void store_past_caches(float* to, const float* from) {
#if defined(__SSE__)
  _mm_stream_ps(to, _mm_loadu_ps(from));
#else
  std::memcpy(to, from, 4 * sizeof(float));
#endif
}

// Orders these stores before later ones. No other operation does, not even the barrier
// at the end of a parallel loop.
inline void finish_stores_past_caches() {
#if defined(__SSE__)
  _mm_sfence();
#endif
}

}  // namespace reprise
