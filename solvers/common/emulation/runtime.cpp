// SPDX-License-Identifier: MIT
// The emulated part of the CUDA runtime: host memory with a register of all allocations.
#include "solvers/common/emulation/runtime.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>

#include "solvers/common/base/error.hpp"
#include "solvers/common/emulation/devices.hpp"
#include "solvers/common/emulation/traffic.hpp"

namespace reprise::cuda_emulated {
namespace {

// A device aligns its allocations so that a texture can begin at each.
constexpr std::align_val_t alignment{512};
constexpr std::size_t pitch_alignment = 512;

// Pages of a file that exists in memory only; nullptr if they cannot be mapped.
void* mapped_pages(int file, std::size_t bytes) {
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

// Who owns a piece of memory: this process alone; this process, for others that open it by its file; another process.
enum class owner { alone, first, other };

// Registers every allocation of emulated device memory.
class memory_register {
 public:
  void* allocate(std::size_t bytes, owner whose) {
    const std::scoped_lock lock(mutex_);
    const int device = current_device();
    if (bytes > memory_bytes_of(device) - used_[device]) return nullptr;
    int file = -1;
    void* memory = nullptr;
    if (whose == owner::alone) {
      memory = ::operator new(bytes, alignment);
    } else {
      file = memfd_create("reprise", MFD_CLOEXEC);
      memory =
          file >= 0 && ftruncate(file, static_cast<off_t>(bytes)) == 0 ? mapped_pages(file, bytes) : nullptr;
      if (memory == nullptr) {
        if (file >= 0) close(file);
        return nullptr;
      }
    }
    // These bytes are NaN as floating-point numbers, so that a read of
    // uninitialised memory shows in the answer.
    std::memset(memory, 0xFF, bytes);
    pieces_[static_cast<const std::byte*>(memory)] = {bytes, device, whose, file};
    used_[device] += bytes;
    return memory;
  }

  // Memory of another process, whose file can be opened while that process lives.
  void* open_memory(const cudaIpcMemHandle_t& handle) {
    const std::scoped_lock lock(mutex_);
    const std::string path = "/proc/" + std::to_string(handle.process) + "/fd/" + std::to_string(handle.file);
    const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (file < 0) return nullptr;
    void* const memory = mapped_pages(file, handle.bytes);
    close(file);
    if (memory == nullptr) return nullptr;
    pieces_[static_cast<const std::byte*>(memory)] = {handle.bytes, current_device(), owner::other, -1};
    return memory;
  }

  std::optional<cudaIpcMemHandle_t> handle_of(const void* memory) const {
    const std::scoped_lock lock(mutex_);
    const auto found = pieces_.find(static_cast<const std::byte*>(memory));
    if (found == pieces_.end() || found->second.whose != owner::first) return {};
    return cudaIpcMemHandle_t{getpid(), found->second.file, found->second.bytes};
  }

  // Whether the memory was there: allocated by this process, or opened if `is_opened`.
  bool release(void* memory, bool is_opened = false) {
    const std::scoped_lock lock(mutex_);
    const auto found = pieces_.find(static_cast<const std::byte*>(memory));
    if (found == pieces_.end() || (found->second.whose == owner::other) != is_opened) return false;
    const piece released = found->second;
    pieces_.erase(found);
    if (!is_opened) used_[released.device] -= released.bytes;
    if (released.whose == owner::alone) {
      ::operator delete(memory, alignment);
    } else {
      munmap(memory, released.bytes);
    }
    if (released.file >= 0) close(released.file);
    return true;
  }

  // Number of bytes from `address` to the end of the allocation that contains it; -1 outside all allocations.
  std::ptrdiff_t bytes_from(const void* address) const {
    const std::scoped_lock lock(mutex_);
    const auto* at = static_cast<const std::byte*>(address);
    const auto after = pieces_.upper_bound(at);
    if (after == pieces_.begin()) return -1;
    const auto& [begin, found] = *std::prev(after);
    const std::size_t bytes = found.bytes;
    const auto offset = static_cast<std::size_t>(at - begin);
    return offset <= bytes ? static_cast<std::ptrdiff_t>(bytes - offset) : -1;
  }

  // Free bytes of the current device.
  std::size_t free_bytes() {
    const std::scoped_lock lock(mutex_);
    return memory_bytes_of(current_device()) - used_[current_device()];
  }

 private:
  struct piece {
    std::size_t bytes;
    int device;
    owner whose;
    int file;
  };
  mutable std::mutex mutex_;
  std::map<const std::byte*, piece, std::less<>> pieces_;
  std::map<int, std::size_t> used_;  // bytes by device
};

// Never destroyed, because static objects may own device memory too.
memory_register& device_memory() {
  static auto& instance = *new memory_register;
  return instance;
}

bool on_device(const void* address, std::size_t bytes) {
  const std::ptrdiff_t there = device_memory().bytes_from(address);
  return there >= 0 && bytes <= static_cast<std::size_t>(there);
}

// Whether both sides of a copy are memory of the kind that its direction names.
bool sides_fit(const void* to, std::size_t to_bytes, const void* from, std::size_t from_bytes,
               cudaMemcpyKind kind) {
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  return (to_device ? on_device(to, to_bytes) : device_memory().bytes_from(to) <= 0) &&
         (from_device ? on_device(from, from_bytes) : device_memory().bytes_from(from) <= 0);
}

direction direction_of(cudaMemcpyKind kind) {
  return kind == cudaMemcpyHostToDevice   ? direction::to_device
         : kind == cudaMemcpyDeviceToHost ? direction::to_host
                                          : direction::on_device;
}

struct texture_record {
  const std::byte* data;
  std::size_t bytes;
  std::size_t element_bytes;
};

bool is_device(int index) {
  return index >= 0 && index < device_count();
}

texture_record* record_of(cudaTextureObject_t object) {
  return reinterpret_cast<texture_record*>(static_cast<std::uintptr_t>(object));
}

cudaError_t allocate(void** memory, std::size_t bytes, owner whose) {
  *memory = nullptr;
  if (const cudaError_t code = planted("cudaMalloc"); code != cudaSuccess) return remember(code);
  if (bytes == 0) return cudaSuccess;
  *memory = device_memory().allocate(bytes, whose);
  return remember(*memory != nullptr ? cudaSuccess : cudaErrorMemoryAllocation);
}

}  // namespace

cudaError_t allocate_for_others(void** memory, std::size_t bytes) {
  return allocate(memory, bytes, owner::first);
}

bool is_device_memory(const void* address) {
  return device_memory().bytes_from(address) >= 0;
}

const void* texel(cudaTextureObject_t object, int index, std::size_t element_bytes) {
  const texture_record* record = record_of(object);
  if (record == nullptr) throw error("a kernel reads a texture object that was never made");
  if (record->element_bytes != element_bytes) throw error("a kernel reads a texture object as another type");
  if (index < 0 || static_cast<std::size_t>(index) >= record->bytes / element_bytes) return nullptr;
  return record->data + static_cast<std::size_t>(index) * element_bytes;
}

}  // namespace reprise::cuda_emulated

namespace reprise::cuda_language {

using namespace cuda_emulated;

struct event_record {
  int device;
  std::optional<std::chrono::steady_clock::time_point> at;
};

// All work is done when its call returns, so a stream has no state.
struct stream_record {};

cudaError_t cudaGetDevice(int* index) {
  *index = current_device();
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int index) {
  if (!is_device(index)) return remember(cudaErrorInvalidDevice);
  set_current_device(index);
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int index) {
  if (!is_device(index)) return remember(cudaErrorInvalidDevice);
  switch (which) {
    case cudaDevAttrMultiProcessorCount:
      *value = multiprocessors;
      return cudaSuccess;
    case cudaDevAttrL2CacheSize:
      *value = static_cast<int>(l2_bytes);
      return cudaSuccess;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *value = static_cast<int>(shared_bytes_optin);
      return cudaSuccess;
    case cudaDevAttrCooperativeLaunch:
      *value = 1;
      return cudaSuccess;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      *value = threads_per_multiprocessor;
      return cudaSuccess;
    case cudaDevAttrComputeCapabilityMajor:
      *value = code_on(index).device / 10;
      return cudaSuccess;
    case cudaDevAttrComputeCapabilityMinor:
      *value = code_on(index).device % 10;
      return cudaSuccess;
  }
  return remember(cudaErrorInvalidValue);
}

cudaError_t cudaDeviceSynchronize() {
  if (const cudaError_t code = planted("cudaDeviceSynchronize"); code != cudaSuccess) return remember(code);
  return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* about, const void*) {
  if (const cudaError_t code = planted("cudaFuncGetAttributes"); code != cudaSuccess) return remember(code);
  const compiled_code code = code_on(current_device());
  *about = {code.binary, code.source, 0};
  return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void*, cudaFuncAttribute, int value) {
  return remember(static_cast<std::size_t>(value) <= shared_bytes_optin ? cudaSuccess
                                                                        : cudaErrorInvalidValue);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void*, int threads,
                                                          std::size_t shared_bytes) {
  if (threads <= 0 || threads > static_cast<int>(threads_per_block)) {
    *blocks = 0;
    return threads <= 0 ? remember(cudaErrorInvalidValue) : cudaSuccess;
  }
  // CUDA reserves another 1 KiB of shared memory for each block.
  const std::size_t by_shared = shared_bytes_per_multiprocessor / (shared_bytes + 1024);
  *blocks = std::min(
      {blocks_per_multiprocessor, threads_per_multiprocessor / threads, static_cast<int>(by_shared)});
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  return allocate(memory, bytes, owner::alone);
}

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* handle, void* memory) {
  if (const cudaError_t code = planted("cudaIpcGetMemHandle"); code != cudaSuccess) return remember(code);
  const auto found = device_memory().handle_of(memory);
  if (!found) return remember(cudaErrorInvalidValue);
  *handle = *found;
  return cudaSuccess;
}

cudaError_t cudaIpcOpenMemHandle(void** memory, cudaIpcMemHandle_t handle, unsigned flags) {
  *memory = nullptr;
  if (const cudaError_t code = planted("cudaIpcOpenMemHandle"); code != cudaSuccess) return remember(code);
  if (flags != cudaIpcMemLazyEnablePeerAccess) return remember(cudaErrorInvalidValue);
  *memory = device_memory().open_memory(handle);
  return remember(*memory != nullptr ? cudaSuccess : cudaErrorMapBufferObjectFailed);
}

cudaError_t cudaIpcCloseMemHandle(void* memory) {
  return remember(device_memory().release(memory, true) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMallocPitch(void** memory, std::size_t* pitch, std::size_t width_bytes, std::size_t rows) {
  *memory = nullptr;
  const std::size_t most = memory_bytes_of(current_device());
  if (width_bytes > most) return remember(cudaErrorMemoryAllocation);
  *pitch = (width_bytes + pitch_alignment - 1) / pitch_alignment * pitch_alignment;
  if (*pitch != 0 && rows > most / *pitch) return remember(cudaErrorMemoryAllocation);
  return cudaMalloc(memory, *pitch * rows);
}

cudaError_t cudaFree(void* memory) {
  const bool is_known = memory == nullptr || device_memory().release(memory);
  if (const cudaError_t code = planted("cudaFree"); code != cudaSuccess) return remember(code);
  return remember(is_known ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned flags) {
  *memory = nullptr;
  if (const cudaError_t code = planted("cudaHostAlloc"); code != cudaSuccess) return remember(code);
  if (flags != cudaHostAllocMapped) return remember(cudaErrorInvalidValue);
  return cudaMalloc(memory, bytes);
}

cudaError_t cudaHostGetDevicePointer(void** on_device, void* memory, unsigned flags) {
  if (flags != 0 || !is_device_memory(memory)) return remember(cudaErrorInvalidValue);
  *on_device = memory;
  return cudaSuccess;
}

cudaError_t cudaFreeHost(void* memory) {
  return cudaFree(memory);
}

cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
  if (const cudaError_t code = planted("cudaMemGetInfo"); code != cudaSuccess) return remember(code);
  *free_bytes = device_memory().free_bytes();
  *total_bytes = memory_bytes_of(current_device());
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  if (const cudaError_t code = planted("cudaMemcpy"); code != cudaSuccess) return remember(code);
  if (bytes == 0) return cudaSuccess;
  if (!sides_fit(to, bytes, from, bytes, kind)) return remember(cudaErrorInvalidValue);
  count_copy(direction_of(kind), bytes);
  std::memmove(to, from, bytes);
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t) {
  return cudaMemcpy(to, from, bytes, kind);
}

cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width_bytes, std::size_t rows, cudaMemcpyKind kind) {
  if (const cudaError_t code = planted("cudaMemcpy2D"); code != cudaSuccess) return remember(code);
  if (width_bytes > to_pitch || width_bytes > from_pitch) return remember(cudaErrorInvalidValue);
  if (width_bytes == 0 || rows == 0) return cudaSuccess;
  const std::size_t to_bytes = (rows - 1) * to_pitch + width_bytes;
  const std::size_t from_bytes = (rows - 1) * from_pitch + width_bytes;
  if (!sides_fit(to, to_bytes, from, from_bytes, kind)) return remember(cudaErrorInvalidValue);
  count_copy(direction_of(kind), rows * width_bytes);
  for (std::size_t row = 0; row < rows; ++row)
    std::memmove(static_cast<std::byte*>(to) + row * to_pitch,
                 static_cast<const std::byte*>(from) + row * from_pitch, width_bytes);
  return cudaSuccess;
}

cudaError_t cudaMemset(void* memory, int value, std::size_t bytes) {
  if (const cudaError_t code = planted("cudaMemset"); code != cudaSuccess) return remember(code);
  if (bytes == 0) return cudaSuccess;
  if (!on_device(memory, bytes)) return remember(cudaErrorInvalidValue);
  std::memset(memory, value, bytes);
  return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t) {
  return cudaMemset(memory, value, bytes);
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  if (const cudaError_t code = planted("cudaStreamCreate"); code != cudaSuccess) return remember(code);
  *stream = new stream_record;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = *greatest = 0;
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned, int) {
  return cudaStreamCreate(stream);
}

cudaError_t cudaStreamSynchronize(cudaStream_t) {
  if (const cudaError_t code = planted("cudaStreamSynchronize"); code != cudaSuccess) return remember(code);
  return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete stream;
  return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  if (const cudaError_t code = planted("cudaEventCreate"); code != cudaSuccess) return remember(code);
  *event = new event_record{current_device(), {}};
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  return cudaEventCreate(event);
}

// All work is done when its call returns, so the event has happened already.
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t event, unsigned) {
  return event == nullptr ? remember(cudaErrorInvalidResourceHandle) : cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
  if (const cudaError_t code = planted("cudaEventRecord"); code != cudaSuccess) return remember(code);
  if (event->device != current_device()) return remember(cudaErrorInvalidResourceHandle);
  event->at = std::chrono::steady_clock::now();
  return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t) {
  if (const cudaError_t code = planted("cudaEventSynchronize"); code != cudaSuccess) return remember(code);
  return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  if (const cudaError_t code = planted("cudaEventElapsedTime"); code != cudaSuccess) return remember(code);
  if (!begin->at || !end->at) return remember(cudaErrorInvalidResourceHandle);
  *milliseconds = std::chrono::duration<float, std::milli>(*end->at - *begin->at).count();
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(std::size_t* elements, const cudaChannelFormatDesc*,
                                                 int index) {
  if (!is_device(index)) return remember(cudaErrorInvalidDevice);
  *elements = std::size_t{1} << 28;
  return cudaSuccess;
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* object, const cudaResourceDesc* resource,
                                    const cudaTextureDesc*, const cudaResourceViewDesc*) {
  if (const cudaError_t code = planted("cudaCreateTextureObject"); code != cudaSuccess) return remember(code);
  const auto& linear = resource->res.linear;
  const bool aligned =
      reinterpret_cast<std::uintptr_t>(linear.devPtr) % static_cast<std::size_t>(alignment) == 0;
  if (!aligned || linear.sizeInBytes == 0 || !on_device(linear.devPtr, linear.sizeInBytes))
    return remember(cudaErrorInvalidValue);
  const auto* record = new texture_record{static_cast<const std::byte*>(linear.devPtr), linear.sizeInBytes,
                                          linear.desc.element_bytes};
  *object = reinterpret_cast<std::uintptr_t>(record);
  return cudaSuccess;
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
  delete record_of(object);
  return cudaSuccess;
}

}  // namespace reprise::cuda_language
