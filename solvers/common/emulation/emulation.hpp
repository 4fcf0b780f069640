// SPDX-License-Identifier: MIT
// The CUDA language for a host compiler: a launch runs the grid block by block, with each
// thread of a block on a fiber.
//
// This is a test instrument for kernels and is never timed. It finds errors that a device would hide:
// - Threads run in a shuffled order that changes from barrier to barrier, so a missing barrier gives
//   a wrong answer.
// - A barrier that some threads of a block never reach is an error, and so is a grid that waits for itself.
// - Messages between blocks of a cluster arrive late and in shuffled order, so reading one too early shows. A message
//   to a block that has ended is an error.
// - Shared memory is allocated anew for each block, exactly as large as declared. All fresh memory holds the
//   bytes 0xFF, which are a NaN, so a read of uninitialised memory shows in the answer. AddressSanitizer sees
//   every access out of bounds.
// It is stricter than the language in one point: a thread that has ended does not count as having reached a
// barrier. __shared__ is missing on purpose: kernels declare shared memory with REPRISE_SHARED_ARRAY.
#pragma once

#include <math.h>

#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <source_location>
#include <type_traits>

#include "solvers/common/emulation/control.hpp"
#include "solvers/common/emulation/launch.hpp"
#include "solvers/common/emulation/runtime.hpp"

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __grid_constant__

// The address of a static variable identifies the declaration.
#define REPRISE_SHARED_ARRAY(TYPE, NAME, EXTENTS)               \
  using NAME##_shared_type = TYPE EXTENTS;                      \
  static char NAME##_shared_site;                               \
  NAME##_shared_type& NAME = *static_cast<NAME##_shared_type*>( \
      ::reprise::cuda_emulated::shared_array(&NAME##_shared_site, sizeof(NAME##_shared_type)))

namespace reprise::cuda_emulated {

void* shared_array(const void* site, std::size_t bytes);
void* dynamic_shared();
void pause();
void wait_for_preceding();

// Partial barriers (cuda/barrier.hpp): one that waits for the others, and one that does not.
void named_barrier(unsigned which, unsigned count, std::source_location where);
void arrive_at_barrier(unsigned which, unsigned count, std::source_location where);
// Clusters (cuda/cluster.hpp).
void cluster_barrier(std::source_location where);
unsigned rank_in_cluster();
std::byte* in_block(const void* here, unsigned rank);
void open_mailbox(mailbox* box);
void expect(mailbox* box, unsigned bytes);
bool has_ended(const mailbox* box, unsigned parity);
void send(std::byte* to, const void* value, std::size_t bytes, std::byte* box);
void send_from(std::byte* to, const void* from, std::size_t bytes, mailbox* box);
void multiply_add_8x8x4(cuda_language::double2& c, double a, double b);

// Calls run_thread(kernel) once for each thread. Returns the error code with which a device would refuse the
// launch. Rethrows what a thread throws, and throws reprise::error on a deadlock.
cudaError_t run_grid(const launch_shape& shape, void (*run_thread)(const void*), const void* kernel);

// Throws reprise::error if a kernel argument is a host pointer. A device could not follow
// it, but the emulation could.
void require_device_memory(const volatile void* argument, std::size_t position);

template <class T>
void check_argument([[maybe_unused]] const T& argument, [[maybe_unused]] std::size_t position) {
  if constexpr (std::is_pointer_v<T>) require_device_memory(argument, position);
}

template <class... Parameters>
cudaError_t launch(const launch_shape& shape, void (*kernel)(Parameters...),
                   const std::type_identity_t<Parameters>&... arguments) {
  std::size_t position = 0;
  (check_argument(arguments, ++position), ...);
  const auto call = [&] { kernel(arguments...); };
  return run_grid(
      shape, [](const void* one) { (*static_cast<const decltype(call)*>(one))(); }, &call);
}

std::uint64_t meet(warp_operation kind, unsigned mask, std::uint64_t bits, int source,
                   std::source_location where);
int lane();

template <class T>
T shuffle(unsigned mask, T value, int source, std::source_location where) {
  static_assert(std::is_arithmetic_v<T> && sizeof(T) <= sizeof(std::uint64_t));
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  bits = meet(warp_operation::shuffle, mask, bits, source, where);
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}

template <class T, class... Types>
concept one_of = (std::same_as<T, Types> || ...);

// Fibers switch only where a thread waits, so a plain read followed by a write is atomic.
template <class T>
T replace(T* address, T value) {
  const T old = *address;
  *address = value;
  if (std::memcmp(&old, &value, sizeof(T)) != 0) ++signs_of_life;
  return old;
}
}  // namespace reprise::cuda_emulated

namespace reprise::cuda_language {

void __syncthreads(std::source_location where = std::source_location::current());
inline void __threadfence() {}
inline void __threadfence_block() {}

inline void __syncwarp(unsigned mask = 0xffffffffU,
                       std::source_location where = std::source_location::current()) {
  cuda_emulated::meet(cuda_emulated::warp_operation::synchronize, mask, 0, 0, where);
}

// Lanes exchange within segments of `width`. If the source lies outside the
// segment, a lane gets its own value.
template <class T>
T __shfl_sync(unsigned mask, T value, int source, int width = warpSize,
              std::source_location where = std::source_location::current()) {
  return cuda_emulated::shuffle(mask, value, (cuda_emulated::lane() & ~(width - 1)) | (source & (width - 1)),
                                where);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned distance, int width = warpSize,
                 std::source_location where = std::source_location::current()) {
  const int lane = cuda_emulated::lane();
  const int back = static_cast<int>(distance);
  return cuda_emulated::shuffle(mask, value, back > (lane & (width - 1)) ? lane : lane - back, where);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned distance, int width = warpSize,
                   std::source_location where = std::source_location::current()) {
  const int lane = cuda_emulated::lane();
  const int on = static_cast<int>(distance);
  return cuda_emulated::shuffle(mask, value, on > width - 1 - (lane & (width - 1)) ? lane : lane + on, where);
}
// The source may lie in an earlier segment, but not in a later one.
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = warpSize,
                  std::source_location where = std::source_location::current()) {
  const int last = cuda_emulated::lane() | (width - 1);
  const int source = cuda_emulated::lane() ^ lane_mask;
  return cuda_emulated::shuffle(mask, value, source > last ? cuda_emulated::lane() : source, where);
}

inline unsigned __ballot_sync(unsigned mask, int predicate,
                              std::source_location where = std::source_location::current()) {
  return static_cast<unsigned>(
      cuda_emulated::meet(cuda_emulated::warp_operation::vote, mask, predicate != 0, 0, where));
}
inline int __any_sync(unsigned mask, int predicate,
                      std::source_location where = std::source_location::current()) {
  return __ballot_sync(mask, predicate, where) != 0;
}
inline int __all_sync(unsigned mask, int predicate,
                      std::source_location where = std::source_location::current()) {
  return __ballot_sync(mask, predicate == 0, where) == 0;
}

inline int __popc(unsigned bits) {
  return std::popcount(bits);
}
// One more than the place of the lowest set bit; 0 if there is none.
inline int __ffs(unsigned bits) {
  return bits == 0 ? 0 : std::countr_zero(bits) + 1;
}

template <cuda_emulated::one_of<int, unsigned, unsigned long long, float, double> T>
T atomicAdd(T* address, std::type_identity_t<T> value) {
  // Integers wrap around, as on a device.
  if constexpr (std::integral<T>) {
    using bits = std::make_unsigned_t<T>;
    return cuda_emulated::replace(address,
                                  static_cast<T>(static_cast<bits>(*address) + static_cast<bits>(value)));
  } else {
    return cuda_emulated::replace(address, *address + value);
  }
}
template <cuda_emulated::one_of<int, unsigned, long long, unsigned long long> T>
T atomicMax(T* address, std::type_identity_t<T> value) {
  return cuda_emulated::replace(address, *address < value ? value : *address);
}
template <cuda_emulated::one_of<int, unsigned, long long, unsigned long long> T>
T atomicMin(T* address, std::type_identity_t<T> value) {
  return cuda_emulated::replace(address, value < *address ? value : *address);
}
template <cuda_emulated::one_of<int, unsigned, unsigned long long, float> T>
T atomicExch(T* address, std::type_identity_t<T> value) {
  return cuda_emulated::replace(address, value);
}
template <cuda_emulated::one_of<int, unsigned, unsigned long long> T>
T atomicCAS(T* address, std::type_identity_t<T> expected, std::type_identity_t<T> value) {
  return cuda_emulated::replace(address, *address == expected ? value : *address);
}

template <class T>
T __ldg(const T* address) {
  return *address;
}
template <class T>
T __ldcg(const T* address) {
  return *address;
}
template <class T>
void __stcg(T* address, std::type_identity_t<T> value) {
  *address = value;
  ++cuda_emulated::signs_of_life;
}

template <class T>
T tex1Dfetch(cudaTextureObject_t object, int index) {
  const void* address = cuda_emulated::texel(object, index, sizeof(T));
  return address == nullptr ? T{} : *static_cast<const T*>(address);
}

inline unsigned __float_as_uint(float value) {
  return std::bit_cast<unsigned>(value);
}
inline float __uint_as_float(unsigned bits) {
  return std::bit_cast<float>(bits);
}
inline int __float_as_int(float value) {
  return std::bit_cast<int>(value);
}
inline float __int_as_float(int bits) {
  return std::bit_cast<float>(bits);
}
inline long long __double_as_longlong(double value) {
  return std::bit_cast<long long>(value);
}
inline int __double2hiint(double x) {
  return static_cast<int>(std::bit_cast<unsigned long long>(x) >> 32);
}
inline int __double2loint(double x) {
  return static_cast<int>(std::bit_cast<unsigned long long>(x) & 0xffffffffU);
}
inline double __hiloint2double(int high, int low) {
  return std::bit_cast<double>(static_cast<unsigned long long>(static_cast<unsigned>(high)) << 32 |
                               static_cast<unsigned>(low));
}
inline double __longlong_as_double(long long bits) {
  return std::bit_cast<double>(bits);
}
inline float rsqrt(float value) {
  return 1 / std::sqrt(value);
}
inline double rsqrt(double value) {
  return 1 / std::sqrt(value);
}
inline float __fmaf_rn(float a, float b, float c) {
  return ::fmaf(a, b, c);
}
inline double __fma_rn(double a, double b, double c) {
  return ::fma(a, b, c);
}
inline float __fdividef(float a, float b) {
  return a / b;
}

// If one argument is NaN, both functions return the other, as on a device.
template <class A, class B>
requires std::is_arithmetic_v<A> && std::is_arithmetic_v<B>
auto min(A a, B b) {
  using common = std::common_type_t<A, B>;
  const auto x = static_cast<common>(a);
  const auto y = static_cast<common>(b);
  if constexpr (std::is_floating_point_v<common>) return std::fmin(x, y);
  return y < x ? y : x;
}
template <class A, class B>
requires std::is_arithmetic_v<A> && std::is_arithmetic_v<B>
auto max(A a, B b) {
  using common = std::common_type_t<A, B>;
  const auto x = static_cast<common>(a);
  const auto y = static_cast<common>(b);
  if constexpr (std::is_floating_point_v<common>) return std::fmax(x, y);
  return x < y ? y : x;
}

}  // namespace reprise::cuda_language

// CUDA's names are global; this makes them available like global names.
using namespace reprise::cuda_language;
