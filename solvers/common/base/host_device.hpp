// SPDX-License-Identifier: MIT
// Markers for functions that both the host and a CUDA device call. Functions marked REPRISE_INLINED are
// always inlined, because a vectorised loop cannot contain calls.
#pragma once

#ifdef __CUDACC__
#define REPRISE_HOST_DEVICE __host__ __device__
#define REPRISE_INLINED __host__ __device__ __forceinline__
#else
#define REPRISE_HOST_DEVICE
#define REPRISE_INLINED [[gnu::always_inline]] inline
#endif
