// SPDX-License-Identifier: MIT
// Marks functions that the host and a CUDA device both call. REPRISE_INLINED ones are always inlined: a loop
// of vectors cannot call.
#pragma once

#ifdef __CUDACC__
#define REPRISE_HOST_DEVICE __host__ __device__
#define REPRISE_INLINED __host__ __device__ __forceinline__
#else
#define REPRISE_HOST_DEVICE
#define REPRISE_INLINED [[gnu::always_inline]] inline
#endif
