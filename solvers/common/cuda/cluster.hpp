// SPDX-License-Identifier: MIT
// Clusters of blocks, from compute capability 9.0 on: blocks that run together write into each other's shared memory,
// by messages that are counted at a mailbox. And what goes with them: the matrix unit for double precision.
//
// A message is sent to the same place in another block's dynamic shared memory, its bytes are counted by a mailbox of
// that block, and a thread there that has received the mailbox's phase may read them. In code for older architectures
// these functions do nothing: the host must ask clusters_together() before it launches such a kernel.
#pragma once

#include "solvers/common/cuda/cuda.hpp"
#include "solvers/common/cuda/wait.hpp"

#if defined(REPRISE_CUDA_EMULATED)
#define REPRISE_HAS_CLUSTERS 0
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define REPRISE_HAS_CLUSTERS 1
#else
#define REPRISE_HAS_CLUSTERS 0
#endif

namespace reprise::cuda {
inline namespace REPRISE_CUDA_FLAVOUR {

#ifdef REPRISE_CUDA_EMULATED
using mailbox = cuda_emulated::mailbox;
using cluster_address = std::byte*;
#else
using mailbox = unsigned long long;
using cluster_address = unsigned;
#endif

// How many clusters of so many blocks the current device runs at the same time; 0 if it runs none.
template <class... Parameters>
std::size_t clusters_together(void (*kernel)(Parameters...), dim3 block, std::size_t shared_bytes,
                              unsigned cluster,
                              std::source_location where = std::source_location::current()) {
  const void* const function = reinterpret_cast<const void*>(kernel);
  if (architecture_of(function, where) < 90) return 0;
  if (shared_bytes + launched(function, where).static_bytes > current_properties().shared_bytes_per_block)
    return 0;
  if (attribute(cudaDevAttrCooperativeLaunch) == 0) return 0;
  raise_shared_limit(function, shared_bytes, where);
#ifdef REPRISE_CUDA_EMULATED
  return resident_blocks(kernel, block, shared_bytes, where) / cluster;
#else
  allow_large_clusters(function, cluster, where);
  cudaLaunchAttribute size{};
  size.id = cudaLaunchAttributeClusterDimension;
  size.val.clusterDim = {cluster, 1, 1};
  cudaLaunchConfig_t shape{};
  shape.gridDim = cluster;
  shape.blockDim = block;
  shape.dynamicSmemBytes = shared_bytes;
  shape.attrs = &size;
  shape.numAttrs = 1;
  int count = 0;
  if (cudaOccupancyMaxActiveClusters(&count, function, &shape) == cudaSuccess)
    return static_cast<std::size_t>(count);
  static_cast<void>(cudaGetLastError());  // the device has no clusters of this size
  return 0;
#endif
}

__device__ inline unsigned rank_in_cluster() {
#ifdef REPRISE_CUDA_EMULATED
  return cuda_emulated::rank_in_cluster();
#else
  unsigned rank = 0;
#if REPRISE_HAS_CLUSTERS
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
#endif
  return rank;
#endif
}

// A barrier of all threads of the cluster.
__device__ inline void synchronize_cluster(
    [[maybe_unused]] std::source_location where = std::source_location::current()) {
#ifdef REPRISE_CUDA_EMULATED
  cuda_emulated::cluster_barrier(where);
#elif REPRISE_HAS_CLUSTERS
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
}

#ifndef REPRISE_CUDA_EMULATED
__device__ inline unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}
#endif

// The place of a shared variable, of this block and in the same way of all blocks of the cluster.
__device__ inline cluster_address address_of(void* p) {
#ifdef REPRISE_CUDA_EMULATED
  return static_cast<std::byte*>(p);
#else
  return shared_address(p);
#endif
}

// Opens a mailbox. Followed by show_mailboxes() and a barrier of the cluster before anybody sends.
__device__ inline void open_mailbox([[maybe_unused]] mailbox* box) {
#ifdef REPRISE_CUDA_EMULATED
  cuda_emulated::open_mailbox(box);
#elif REPRISE_HAS_CLUSTERS
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(box)) : "memory");
#endif
}
__device__ inline void show_mailboxes() {
#if REPRISE_HAS_CLUSTERS
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
}

// Says how many bytes the mailbox's current phase has; once in a phase, before or after they arrive.
__device__ inline void expect([[maybe_unused]] mailbox* box, [[maybe_unused]] unsigned bytes) {
#ifdef REPRISE_CUDA_EMULATED
  cuda_emulated::expect(box, bytes);
#elif REPRISE_HAS_CLUSTERS
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(box)), "r"(bytes)
               : "memory");
#endif
}

// Sends 16 bytes to a block of the cluster if they are wanted, without a branch.
__device__ inline void send_if([[maybe_unused]] bool wanted, [[maybe_unused]] unsigned rank,
                               [[maybe_unused]] cluster_address to, [[maybe_unused]] double2 value,
                               [[maybe_unused]] cluster_address box) {
#ifdef REPRISE_CUDA_EMULATED
  if (wanted)
    cuda_emulated::send(cuda_emulated::in_block(to, rank), &value, sizeof value,
                        cuda_emulated::in_block(box, rank));
#elif REPRISE_HAS_CLUSTERS
  asm volatile(
      "{\n.reg .pred p;\n.reg .b32 to, box;\n"
      "setp.ne.u32 p, %0, 0;\n"
      "mapa.shared::cluster.u32 to, %1, %5;\n"
      "mapa.shared::cluster.u32 box, %4, %5;\n"
      "@p st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b64 [to], {%2, %3}, [box];\n}" ::"r"(
          static_cast<unsigned>(wanted)),
      "r"(to), "l"(__double_as_longlong(value.x)), "l"(__double_as_longlong(value.y)), "r"(box), "r"(rank)
      : "memory");
#endif
}

// Copies bytes, a multiple of 16, from global to this block's shared memory; a mailbox counts them. Called by one
// thread.
__device__ inline void fetch([[maybe_unused]] void* to_shared, [[maybe_unused]] const void* from,
                             [[maybe_unused]] unsigned bytes, [[maybe_unused]] mailbox* box) {
#ifdef REPRISE_CUDA_EMULATED
  cuda_emulated::send_from(static_cast<std::byte*>(to_shared), from, bytes, box);
#elif REPRISE_HAS_CLUSTERS
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
          shared_address(to_shared)),
      "l"(from), "r"(bytes), "r"(shared_address(box))
      : "memory");
#endif
}

// Waits until the phase of this parity has ended: the mailbox's first phase has parity 0. A phase must be received
// before the next but one begins.
__device__ inline void receive([[maybe_unused]] mailbox* box, [[maybe_unused]] unsigned parity,
                               [[maybe_unused]] const patience& most) {
#ifdef REPRISE_CUDA_EMULATED
  wait_until(most, [&] { return cuda_emulated::has_ended(box, parity); });
#elif REPRISE_HAS_CLUSTERS
  wait_until<clock_code::in_loop>(most, [&] {
    unsigned has_ended;
    asm volatile(
        "{\n.reg .pred q;\n"
        "mbarrier.try_wait.parity.shared::cta.b64 q, [%1], %2;\n"
        "selp.u32 %0, 1, 0, q;\n}"
        : "=r"(has_ended)
        : "r"(shared_address(box)), "r"(parity)
        : "memory");
    return has_ended != 0;
  });
#endif
}

// Adds to a flag between blocks: as store_release() for what this thread wrote, or saw before a barrier.
__device__ inline void add_release(unsigned* flag, unsigned value) {
#ifdef REPRISE_CUDA_EMULATED
  atomicAdd(flag, value);
#else
  asm volatile("red.release.gpu.global.add.u32 [%0], %1;" ::"l"(flag), "r"(value) : "memory");
#endif
}

// Stores two values in shared memory if they are wanted, without a branch.
__device__ inline void store_shared_if(bool wanted, double* to, double x, double y) {
#ifdef REPRISE_CUDA_EMULATED
  if (wanted) *reinterpret_cast<double2*>(to) = {x, y};
#else
  asm volatile("{\n.reg .pred p;\nsetp.ne.u32 p, %0, 0;\n@p st.shared.v2.f64 [%1], {%2, %3};\n}" ::"r"(
                   static_cast<unsigned>(wanted)),
               "r"(shared_address(to)), "d"(x), "d"(y)
               : "memory");
#endif
}

// c += a b for 8 x 4 and 4 x 8 values, by all lanes of a warp: a lane has a of row lane / 4 and column lane % 4, b of
// row lane % 4 and column lane / 4, and c of row lane / 4 and columns 2 (lane % 4) and the next.
__device__ inline void multiply_add_8x8x4([[maybe_unused]] double2& c, [[maybe_unused]] double a,
                                          [[maybe_unused]] double b) {
#ifdef REPRISE_CUDA_EMULATED
  cuda_emulated::multiply_add_8x8x4(c, a, b);
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
               : "+d"(c.x), "+d"(c.y)
               : "d"(a), "d"(b));
#endif
}

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::cuda
