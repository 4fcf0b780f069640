// SPDX-License-Identifier: MIT
// The parts of CUDA that the variants use: checked calls, owned device memory, launches,
// shared memory and a stopwatch.
//
// One source has two flavours. nvcc compiles it for a device; a host compiler with REPRISE_CUDA_EMULATED
// defined compiles it for the emulation (emulation/emulation.hpp). Both are linked into one program.
// Everything here is therefore in an inline namespace of its flavour, and a variant keeps its kernels and
// classes in an anonymous namespace.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <source_location>
#include <string>
#include <type_traits>

#include "solvers/common/base/launches.hpp"
#include "solvers/common/cuda/call.hpp"
#include "solvers/common/cuda/code.hpp"
#include "solvers/common/cuda/memory.hpp"
#include "solvers/common/cuda/stream.hpp"

namespace reprise::cuda {
inline namespace REPRISE_CUDA_FLAVOUR {

// The stream of a launch. It also records the source line of the launch for error messages.
struct on_stream {
  on_stream(cudaStream_t s, std::source_location at = std::source_location::current()) : get(s), where(at) {}
  on_stream(const stream& s, std::source_location at = std::source_location::current())
      : on_stream(s.get(), at) {}

  cudaStream_t get;
  std::source_location where;
};

inline std::string to_string(dim3 d) {
  return std::to_string(d.x) + "x" + std::to_string(d.y) + "x" + std::to_string(d.z);
}

inline std::size_t volume(dim3 d) {
  return std::size_t{d.x} * d.y * d.z;
}

// any          ordinary launch
// cooperative  all blocks are resident at the same time
// overlapped   blocks may start before the preceding launch has ended, and run up to wait_for_preceding(). The
//              kernel must call that before it accesses memory that another launch writes, and may call
//              let_following_start() at any time. If its code cannot wait, it is launched as `any`.
enum class scheduling { any, cooperative, overlapped };

// Clusters of more than 8 blocks are not portable, and need this opt-in.
inline void allow_large_clusters([[maybe_unused]] const void* kernel, [[maybe_unused]] unsigned cluster,
                                 [[maybe_unused]] std::source_location where) {
#ifndef REPRISE_CUDA_EMULATED
  if (cluster > 8)
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1),
          "allowing a kernel large clusters", where);
#endif
}

// How a launch is scheduled, and how many consecutive blocks form a cluster (cluster.hpp); 0 if it has no clusters.
struct schedule {
  scheduling kind;
  unsigned cluster;

  schedule(scheduling how, unsigned blocks_of_cluster = 0) : kind(how), cluster(blocks_of_cluster) {}
};

#ifndef REPRISE_CUDA_EMULATED
struct launch_attributes {
  std::array<cudaLaunchAttribute, 2> list{};
  unsigned count{};

  explicit launch_attributes(const schedule& how) {
    if (how.kind == scheduling::cooperative) {
      list[count].id = cudaLaunchAttributeCooperative;
      list[count++].val.cooperative = 1;
    }
    if (how.kind == scheduling::overlapped) {
      list[count].id = cudaLaunchAttributeProgrammaticStreamSerialization;
      list[count++].val.programmaticStreamSerializationAllowed = 1;
    }
    if (how.cluster > 0) {
      list[count].id = cudaLaunchAttributeClusterDimension;
      list[count].val.clusterDim.x = how.cluster;
      list[count].val.clusterDim.y = list[count].val.clusterDim.z = 1;
      ++count;
    }
  }
};
#endif

template <class... Parameters>
void start(schedule how, void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes,
           on_stream stream, std::type_identity_t<Parameters>... arguments) {
  const void* const function = reinterpret_cast<const void*>(kernel);
  raise_shared_limit(function, shared_bytes, stream.where);
  if (how.kind == scheduling::overlapped && !waits_for_preceding(function, stream.where))
    how.kind = scheduling::any;
#ifdef REPRISE_CUDA_EMULATED
  const cudaError_t code =
      cuda_emulated::launch({grid, block, shared_bytes, how.kind == scheduling::cooperative,
                             how.kind == scheduling::overlapped, std::max(1U, how.cluster)},
                            kernel, arguments...);
#else
  std::array<void*, sizeof...(Parameters)> list{
      const_cast<void*>(static_cast<const volatile void*>(&arguments))...};
  launch_attributes attributes(how);
  cudaLaunchConfig_t shape{};
  shape.gridDim = grid;
  shape.blockDim = block;
  shape.dynamicSmemBytes = shared_bytes;
  shape.stream = stream.get;
  shape.attrs = attributes.list.data();
  shape.numAttrs = attributes.count;
  const cudaError_t code = cudaLaunchKernelExC(&shape, function, list.data());
#endif
  count_launch();
  if (code != cudaSuccess)
    fail(code,
         "launch of " + to_string(grid) + " blocks of " + to_string(block) + " threads with " +
             std::to_string(shared_bytes) + " bytes of dynamic shared memory",
         stream.where);
}

// Starts kernel(arguments...) on `grid` blocks and returns at once. Throws
// reprise::error if the launch fails.
template <class... Parameters>
void launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes, on_stream stream,
            std::type_identity_t<Parameters>... arguments) {
  start(scheduling::any, kernel, grid, block, shared_bytes, stream, arguments...);
}

// The number of blocks of this kernel that the current device can hold at once.
template <class... Parameters>
std::size_t resident_blocks(void (*kernel)(Parameters...), dim3 block, std::size_t shared_bytes,
                            std::source_location where = std::source_location::current()) {
  const void* function = reinterpret_cast<const void*>(kernel);
  raise_shared_limit(function, shared_bytes, where);
  int per_multiprocessor = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, function,
                                                      static_cast<int>(volume(block)), shared_bytes),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor", where);
  return static_cast<std::size_t>(per_multiprocessor) *
         static_cast<std::size_t>(attribute(cudaDevAttrMultiProcessorCount));
}

// The fraction of the device's threads that a launch of this kernel keeps resident: as many of its blocks as the device
// can hold at once, or all of them, if they are fewer.
template <class... Parameters>
double occupancy(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes) {
  const std::size_t blocks = std::min(volume(grid), resident_blocks(kernel, block, shared_bytes));
  return static_cast<double>(blocks * volume(block)) / attribute(cudaDevAttrMultiProcessorCount) /
         attribute(cudaDevAttrMaxThreadsPerMultiProcessor);
}

// Like launch(), but all blocks are resident at the same time, so they may wait for each other, by
// wait_until() (wait.hpp). Throws unavailable if the device cannot hold all blocks.
template <class... Parameters>
void launch_resident(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes,
                     on_stream stream, std::type_identity_t<Parameters>... arguments) {
  if (attribute(cudaDevAttrCooperativeLaunch) == 0)
    throw unavailable("this device cannot keep all blocks of a launch resident (no cooperative launch)");
  const std::size_t most = resident_blocks(kernel, block, shared_bytes, stream.where);
  if (volume(grid) > most)
    throw unavailable("does not fit: " + std::to_string(volume(grid)) + " blocks of " +
                      std::to_string(volume(block)) + " threads with " + std::to_string(shared_bytes) +
                      " bytes of dynamic shared memory must be resident together, this device holds " +
                      std::to_string(most));
  start(scheduling::cooperative, kernel, grid, block, shared_bytes, stream, arguments...);
}

// The dynamic shared memory of a launch, aligned to 16 bytes.
template <class T>
__device__ T* dynamic_shared() {
  static_assert(alignof(T) <= 16);
#ifdef REPRISE_CUDA_EMULATED
  return static_cast<T*>(cuda_emulated::dynamic_shared());
#else
  extern __shared__ __align__(16) unsigned char reprise_dynamic_shared[];
  return reinterpret_cast<T*>(reprise_dynamic_shared);
#endif
}

// 1 / x to about twenty bits. A device treats subnormal inputs and results as zero.
__device__ inline double rough_inverse(double x) {
#ifdef REPRISE_CUDA_EMULATED
  return __hiloint2double(__double2hiint(1 / x), 0);
#else
  double inverse;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(inverse) : "d"(x));
  return inverse;
#endif
}

// 1 / x with an error of one or two roundings, by a step of third order: for x whose rough inverse is usable, without
// the special cases of a general division.
__device__ __forceinline__ double quick_inverse(double x) {
  const double y = rough_inverse(x);
  const double e = fma(-x, y, 1.0);
  return fma(y, fma(e, e, e), y);
}

// Waits until the preceding launch has ended and its writes are visible. No-op in code for architectures below
// 9.0, which start() therefore never overlaps.
__device__ inline void wait_for_preceding() {
#ifdef REPRISE_CUDA_EMULATED
  cuda_emulated::wait_for_preceding();
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

__device__ inline void let_following_start() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// Copies one object of 4, 8 or 16 bytes from global to shared memory, asynchronously from compute capability
// 8.0 on. A thread may read its own copies after wait_for_copies(); other threads also need a barrier.
template <class T>
__device__ void copy_async(T* to_shared, const T* from) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16);
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  const auto to = static_cast<unsigned>(__cvta_generic_to_shared(to_shared));
  if constexpr (sizeof(T) == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(sizeof(T)) : "memory");
  }
#else
  *to_shared = *from;
#endif
}

// Closes the group of the copies issued so far.
__device__ inline void close_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// Waits for all of this thread's groups except the `but_last` newest.
template <int but_last>
__device__ void wait_for_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(but_last) : "memory");
#endif
}

// Whose threads see a word: those of this GPU, or of all GPUs of the host.
enum class reach { device, host };

// Relaxed access to a word that blocks exchange. The word is read and written as a whole and bypasses the L1
// cache; its accesses are not ordered with any others. Needs compute capability 7.0.
template <reach readers = reach::device>
__device__ unsigned long long load_relaxed(const unsigned long long* word) {
#ifdef REPRISE_CUDA_EMULATED
  return *static_cast<const volatile unsigned long long*>(word);
#else
  unsigned long long value;
  if constexpr (readers == reach::device) {
    asm volatile("ld.relaxed.gpu.u64 %0, [%1];" : "=l"(value) : "l"(word));
  } else {
    asm volatile("ld.relaxed.sys.u64 %0, [%1];" : "=l"(value) : "l"(word));
  }
  return value;
#endif
}

template <reach readers = reach::device>
__device__ void store_relaxed(unsigned long long* word, unsigned long long value) {
#ifdef REPRISE_CUDA_EMULATED
  __stcg(word, value);
#else
  if constexpr (readers == reach::device) {
    asm volatile("st.relaxed.gpu.u64 [%0], %1;" ::"l"(word), "l"(value));
  } else {
    asm volatile("st.relaxed.sys.u64 [%0], %1;" ::"l"(word), "l"(value));
  }
#endif
}

// A flag between blocks: a thread that reads a stored value with load_acquire() also sees everything that the
// writer wrote before store_release(). Needs compute capability 7.0.
__device__ inline unsigned load_acquire(const unsigned* flag) {
#ifdef REPRISE_CUDA_EMULATED
  return *flag;
#else
  unsigned value;
  asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  return value;
#endif
}

__device__ inline void store_release(unsigned* flag, unsigned value) {
#ifdef REPRISE_CUDA_EMULATED
  __stcg(flag, value);
#else
  asm volatile("st.release.gpu.u32 [%0], %1;" ::"l"(flag), "r"(value) : "memory");
#endif
}

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::cuda
