// SPDX-License-Identifier: MIT
// The part of the CUDA runtime that the wrappers use, on host memory: types, memory, textures, streams,
// events.
//
// CUDA's names stand in namespace cuda_language, so that they cannot meet the real functions in the linker. A
// call accepts what a device would: sizes, directions and pointers are checked against the memory that was
// given out.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace reprise::cuda_language {

struct alignas(8) int2 {
  int x, y;
};
struct int3 {
  int x, y, z;
};
struct alignas(16) int4 {
  int x, y, z, w;
};
struct alignas(8) uint2 {
  unsigned x, y;
};
struct uint3 {
  unsigned x, y, z;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
struct alignas(8) float2 {
  float x, y;
};
struct float3 {
  float x, y, z;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
struct alignas(16) double2 {
  double x, y;
};

constexpr int2 make_int2(int x, int y) {
  return {x, y};
}
constexpr int3 make_int3(int x, int y, int z) {
  return {x, y, z};
}
constexpr int4 make_int4(int x, int y, int z, int w) {
  return {x, y, z, w};
}
constexpr uint2 make_uint2(unsigned x, unsigned y) {
  return {x, y};
}
constexpr uint3 make_uint3(unsigned x, unsigned y, unsigned z) {
  return {x, y, z};
}
constexpr uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) {
  return {x, y, z, w};
}
constexpr float2 make_float2(float x, float y) {
  return {x, y};
}
constexpr float3 make_float3(float x, float y, float z) {
  return {x, y, z};
}
constexpr float4 make_float4(float x, float y, float z, float w) {
  return {x, y, z, w};
}
constexpr double2 make_double2(double x, double y) {
  return {x, y};
}

struct dim3 {
  unsigned x{1};
  unsigned y{1};
  unsigned z{1};
  constexpr dim3(unsigned vx = 1, unsigned vy = 1, unsigned vz = 1) : x(vx), y(vy), z(vz) {}
};

// The codes and their numbers are the runtime's own.
enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorInvalidDevice = 101,
  cudaErrorInvalidResourceHandle = 400,
  cudaErrorIllegalAddress = 700,
  cudaErrorLaunchOutOfResources = 701,
  cudaErrorLaunchTimeout = 702,
  cudaErrorLaunchFailure = 719,
  cudaErrorCooperativeLaunchTooLarge = 720,
  cudaErrorUnknown = 999,
};
const char* cudaGetErrorName(cudaError_t code);
const char* cudaGetErrorString(cudaError_t code);
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();

enum cudaDeviceAttr {
  cudaDevAttrMultiProcessorCount,
  cudaDevAttrL2CacheSize,
  cudaDevAttrMaxSharedMemoryPerBlockOptin,
  cudaDevAttrCooperativeLaunch,
  cudaDevAttrMaxThreadsPerMultiProcessor,
  cudaDevAttrComputeCapabilityMajor,
};
cudaError_t cudaGetDevice(int* index);
cudaError_t cudaSetDevice(int index);
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int index);
cudaError_t cudaDeviceSynchronize();

enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize };
cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute which, int value);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* kernel, int threads,
                                                          std::size_t shared_bytes);

// A direction that the pointers contradict is an error, as is memory that was not given out by cudaMalloc.
enum cudaMemcpyKind { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2, cudaMemcpyDeviceToDevice = 3 };
using cudaStream_t = struct stream_record*;
cudaError_t cudaMalloc(void** memory, std::size_t bytes);
cudaError_t cudaMallocPitch(void** memory, std::size_t* pitch, std::size_t width_bytes, std::size_t rows);
cudaError_t cudaFree(void* memory);
cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes);
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream = nullptr);
cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width_bytes, std::size_t rows, cudaMemcpyKind kind);
cudaError_t cudaMemset(void* memory, int value, std::size_t bytes);
cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t stream = nullptr);

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

using namespace cuda_language;

// What a device would be able to do. A small one, so that what runs here fits anywhere.
constexpr int multiprocessors = 16;
constexpr int threads_per_multiprocessor = 1024;
constexpr int blocks_per_multiprocessor = 16;
constexpr unsigned threads_per_block = 1024;
constexpr std::size_t l2_bytes = std::size_t{4} << 20;
constexpr std::size_t memory_bytes = std::size_t{2} << 30;  // of the device that is always there
constexpr std::size_t shared_bytes_default = std::size_t{48} << 10;
constexpr std::size_t shared_bytes_optin = std::size_t{227} << 10;
constexpr std::size_t shared_bytes_per_multiprocessor = std::size_t{228} << 10;

// Remembers a code as the runtime's last error, and returns it.
cudaError_t remember(cudaError_t code);

// The code of this name, if the emulation knows it.
std::optional<cudaError_t> find_code(std::string_view name);

// Whether this is an address in (or one past the end of) memory that cudaMalloc gave out.
bool is_device_memory(const void* address);

// The address of an element in a texture's memory; nullptr outside it, where a texture reads zero.
const void* texel(cudaTextureObject_t object, int index, std::size_t element_bytes);

}  // namespace reprise::cuda_emulated
