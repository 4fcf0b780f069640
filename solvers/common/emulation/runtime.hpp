// SPDX-License-Identifier: MIT
// The part of the CUDA runtime that the wrappers use, on host memory: types, memory,
// textures, streams and events.
//
// CUDA's names are in namespace cuda_language, so that the linker does not confuse them with the
// real functions. A call accepts what a device would accept: sizes, directions and pointers are
// checked against the allocations.
#pragma once

#include <cstddef>

#include "solvers/common/emulation/codes.hpp"

namespace reprise::cuda_language {

template <class T>
struct alignas(2 * sizeof(T)) two_of {
  T x, y;
};
template <class T>
struct three_of {
  T x, y, z;
};
template <class T>
struct alignas(4 * sizeof(T)) four_of {
  T x, y, z, w;
};
using int2 = two_of<int>;
using int3 = three_of<int>;
using int4 = four_of<int>;
using uint2 = two_of<unsigned>;
using uint3 = three_of<unsigned>;
using uint4 = four_of<unsigned>;
using float2 = two_of<float>;
using float3 = three_of<float>;
using float4 = four_of<float>;
using double2 = two_of<double>;
using ulonglong2 = two_of<unsigned long long>;

template <class Vector>
struct maker_of {
  template <class... T>
  constexpr Vector operator()(T... parts) const {
    return {static_cast<decltype(Vector::x)>(parts)...};
  }
};
constexpr maker_of<int2> make_int2;
constexpr maker_of<int3> make_int3;
constexpr maker_of<int4> make_int4;
constexpr maker_of<uint2> make_uint2;
constexpr maker_of<uint3> make_uint3;
constexpr maker_of<uint4> make_uint4;
constexpr maker_of<float2> make_float2;
constexpr maker_of<float3> make_float3;
constexpr maker_of<float4> make_float4;
constexpr maker_of<double2> make_double2;

struct dim3 {
  unsigned x{1};
  unsigned y{1};
  unsigned z{1};
  constexpr dim3(unsigned vx = 1, unsigned vy = 1, unsigned vz = 1) : x(vx), y(vy), z(vz) {}
};

enum cudaDeviceAttr {
  cudaDevAttrMultiProcessorCount,
  cudaDevAttrL2CacheSize,
  cudaDevAttrMaxSharedMemoryPerBlockOptin,
  cudaDevAttrCooperativeLaunch,
  cudaDevAttrMaxThreadsPerMultiProcessor,
  cudaDevAttrComputeCapabilityMajor,
  cudaDevAttrComputeCapabilityMinor,
};
cudaError_t cudaGetDevice(int* index);
cudaError_t cudaSetDevice(int index);
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int index);
cudaError_t cudaDeviceSynchronize();

enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize };
struct cudaFuncAttributes {
  int binaryVersion{};
  int ptxVersion{};
  std::size_t sharedSizeBytes{};  // always 0 here: what a kernel declares is known only when it runs
};
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* about, const void* kernel);
cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute which, int value);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* kernel, int threads,
                                                          std::size_t shared_bytes);

// Copies fail if the pointers contradict the direction or the memory was not allocated by cudaMalloc.
enum cudaMemcpyKind { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2, cudaMemcpyDeviceToDevice = 3 };
using cudaStream_t = struct stream_record*;
cudaError_t cudaMalloc(void** memory, std::size_t bytes);
cudaError_t cudaMallocPitch(void** memory, std::size_t* pitch, std::size_t width_bytes, std::size_t rows);
cudaError_t cudaFree(void* memory);
// Host memory that kernels access too. It counts as memory of the device.
constexpr unsigned cudaHostAllocMapped = 2;
cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned flags);
cudaError_t cudaHostGetDevicePointer(void** on_device, void* memory, unsigned flags);
cudaError_t cudaFreeHost(void* memory);
cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes);
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream = nullptr);
cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width_bytes, std::size_t rows, cudaMemcpyKind kind);
cudaError_t cudaMemset(void* memory, int value, std::size_t bytes);
cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t stream = nullptr);

// Memory that another process opens. Here it must be allocated for that, by cuda_emulated::allocate_for_others().
struct cudaIpcMemHandle_t {
  int process{};
  int file{};
  std::size_t bytes{};
};
constexpr unsigned cudaIpcMemLazyEnablePeerAccess = 1;
cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* handle, void* memory);
cudaError_t cudaIpcOpenMemHandle(void** memory, cudaIpcMemHandle_t handle, unsigned flags);
cudaError_t cudaIpcCloseMemHandle(void* memory);

cudaError_t cudaStreamCreate(cudaStream_t* stream);
constexpr unsigned cudaStreamDefault = 0;
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamDestroy(cudaStream_t stream);

using cudaEvent_t = struct event_record*;
cudaError_t cudaEventCreate(cudaEvent_t* event);
constexpr unsigned cudaEventDisableTiming = 2;
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end);
cudaError_t cudaEventDestroy(cudaEvent_t event);

struct cudaChannelFormatDesc {
  std::size_t element_bytes{};
};
template <class T>
cudaChannelFormatDesc cudaCreateChannelDesc() {
  return {sizeof(T)};
}
enum cudaResourceType { cudaResourceTypeLinear = 2 };
struct cudaResourceDesc {
  cudaResourceType resType{};
  struct {
    struct {
      void* devPtr{};
      cudaChannelFormatDesc desc;
      std::size_t sizeInBytes{};
    } linear;
  } res;
};
enum cudaTextureReadMode { cudaReadModeElementType };
struct cudaTextureDesc {
  cudaTextureReadMode readMode{};
};
struct cudaResourceViewDesc {};
using cudaTextureObject_t = unsigned long long;
cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(std::size_t* elements, const cudaChannelFormatDesc* element,
                                                 int index);
cudaError_t cudaCreateTextureObject(cudaTextureObject_t* object, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* reading, const cudaResourceViewDesc* view);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object);

}  // namespace reprise::cuda_language

namespace reprise::cuda_emulated {

// Whether this address is inside (or one past the end of) an allocation of cudaMalloc.
bool is_device_memory(const void* address);

// Like cudaMalloc(), for memory that cudaIpcGetMemHandle() accepts: pages that processes can share.
cudaError_t allocate_for_others(void** memory, std::size_t bytes);

// The address of an element in a texture's memory; nullptr outside, where a texture reads zero.
const void* texel(cudaTextureObject_t object, int index, std::size_t element_bytes);

}  // namespace reprise::cuda_emulated
