// SPDX-License-Identifier: MIT
// Memory with automatic release: vectors and pitched rows of a device, textures on them, and vectors of the host
// that kernels access.
#pragma once

#include <cstddef>
#include <limits>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "solvers/common/cuda/call.hpp"

namespace reprise::cuda {
inline namespace REPRISE_CUDA_FLAVOUR {

// The size of `count` elements in bytes. Throws unavailable if it overflows size_t,
// because no device could hold that.
inline std::size_t bytes_of(std::size_t count, std::size_t element_bytes) {
  if (element_bytes != 0 && count > std::numeric_limits<std::size_t>::max() / element_bytes)
    throw unavailable("does not fit: " + std::to_string(count) + " elements of " +
                      std::to_string(element_bytes) + " bytes asked for, more than can be addressed");
  return count * element_bytes;
}

// Untyped device memory, owned by buffer and pitched. Move only.
class allocation {
 public:
  allocation() = default;
  explicit allocation(std::size_t bytes) { made(cudaMalloc(&data_, bytes), bytes); }
  allocation(std::size_t row_bytes, std::size_t rows) {
    const std::size_t bytes = bytes_of(rows, row_bytes);
    made(cudaMallocPitch(&data_, &pitch_, row_bytes, rows), bytes);
  }
  allocation(allocation&& other) noexcept { swap(other); }
  allocation& operator=(allocation&& other) noexcept {
    allocation(std::move(other)).swap(*this);
    return *this;
  }
  ~allocation() { static_cast<void>(cudaFree(data_)); }

  void* data() const { return data_; }
  std::size_t pitch_bytes() const { return pitch_; }

 private:
  void swap(allocation& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(pitch_, other.pitch_);
  }
  static void made(cudaError_t code, std::size_t bytes) {
    if (code == cudaSuccess) return;
    if (code != cudaErrorMemoryAllocation)
      fail(code, "allocating " + std::to_string(bytes) + " bytes", std::source_location::current());
    static_cast<void>(cudaGetLastError());
    std::size_t free_bytes = 0;
    std::size_t total_bytes = 0;
    REPRISE_CUDA(cudaMemGetInfo(&free_bytes, &total_bytes));
    throw unavailable("does not fit: " + std::to_string(bytes) + " bytes of device memory asked for, " +
                      std::to_string(free_bytes) + " of " + std::to_string(total_bytes) + " free");
  }

  void* data_{};
  std::size_t pitch_{};
};

inline void require_inside(std::size_t first, std::size_t count, std::size_t size,
                           std::source_location where) {
  if (first > size || count > size - first)
    throw error("copy of " + std::to_string(count) + " elements at " + std::to_string(first) +
                    " leaves device memory of " + std::to_string(size),
                where);
}

// A vector in device memory. Its values are uninitialised.
template <class T>
class buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  buffer() = default;
  explicit buffer(std::size_t count) : memory_(bytes_of(count, sizeof(T))), size_(count) {}
  buffer(buffer&& other) noexcept : memory_(std::move(other.memory_)), size_(std::exchange(other.size_, 0)) {}
  buffer& operator=(buffer&& other) noexcept {
    memory_ = std::move(other.memory_);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }

  T* data() { return static_cast<T*>(memory_.data()); }
  const T* data() const { return static_cast<const T*>(memory_.data()); }
  std::size_t size() const { return size_; }

  void upload(const T* from, std::size_t count, std::size_t offset = 0,
              std::source_location where = std::source_location::current()) {
    require_inside(offset, count, size_, where);
    check(cudaMemcpy(data() + offset, from, count * sizeof(T), cudaMemcpyHostToDevice), "buffer::upload",
          where);
  }
  void download(T* to, std::size_t count, std::size_t offset = 0,
                std::source_location where = std::source_location::current()) const {
    require_inside(offset, count, size_, where);
    check(cudaMemcpy(to, data() + offset, count * sizeof(T), cudaMemcpyDeviceToHost), "buffer::download",
          where);
  }
  void fill_bytes(int value) { REPRISE_CUDA(cudaMemset(data(), value, size_ * sizeof(T))); }

 private:
  allocation memory_;
  std::size_t size_{};
};

template <class T>
buffer<T> uploaded(const std::vector<T>& values) {
  buffer<T> memory(values.size());
  memory.upload(values.data(), values.size());
  return memory;
}

// A vector in the host's memory that kernels access too, over the bus, so that no copy is called for. Move only.
template <class T>
class mapped {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  mapped() = default;
  explicit mapped(std::size_t count) : size_(count) {
    REPRISE_CUDA(cudaHostAlloc(&data_, bytes_of(count, sizeof(T)), cudaHostAllocMapped));
    if (data_ != nullptr) REPRISE_CUDA(cudaHostGetDevicePointer(&on_device_, data_, 0));
  }
  mapped(mapped&& other) noexcept { swap(other); }
  mapped& operator=(mapped&& other) noexcept {
    mapped(std::move(other)).swap(*this);
    return *this;
  }
  ~mapped() {
    if (data_ != nullptr) static_cast<void>(cudaFreeHost(data_));
  }

  T* data() const { return static_cast<T*>(data_); }            // for the host
  T* on_device() const { return static_cast<T*>(on_device_); }  // for kernels
  std::size_t size() const { return size_; }

 private:
  void swap(mapped& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(on_device_, other.on_device_);
    std::swap(size_, other.size_);
  }

  void* data_{};
  void* on_device_{};
  std::size_t size_{};
};

// Rows in device memory, each aligned as the device prefers. Element (x, y) is data()[x + y * pitch()].
template <class T>
class pitched {
  static_assert(std::is_trivially_copyable_v<T> && 512 % sizeof(T) == 0, "the pitch must be whole elements");

 public:
  pitched() = default;
  pitched(std::size_t width, std::size_t rows) : memory_(bytes_of(width, sizeof(T)), rows), rows_(rows) {}
  pitched(pitched&& other) noexcept
      : memory_(std::move(other.memory_)), rows_(std::exchange(other.rows_, 0)) {}
  pitched& operator=(pitched&& other) noexcept {
    memory_ = std::move(other.memory_);
    rows_ = std::exchange(other.rows_, 0);
    return *this;
  }

  T* data() { return static_cast<T*>(memory_.data()); }
  const T* data() const { return static_cast<const T*>(memory_.data()); }
  std::size_t pitch() const { return memory_.pitch_bytes() / sizeof(T); }  // in elements, at least the width
  std::size_t rows() const { return rows_; }

  // Copies a dense array of width x rows into the rectangle whose first element is (x, y).
  void upload(const T* from, std::size_t width, std::size_t rows, std::size_t x = 0, std::size_t y = 0,
              std::source_location where = std::source_location::current()) {
    require_rectangle(width, rows, x, y, where);
    check(cudaMemcpy2D(data() + x + y * pitch(), memory_.pitch_bytes(), from, width * sizeof(T),
                       width * sizeof(T), rows, cudaMemcpyHostToDevice),
          "pitched::upload", where);
  }
  void download(T* to, std::size_t width, std::size_t rows, std::size_t x = 0, std::size_t y = 0,
                std::source_location where = std::source_location::current()) const {
    require_rectangle(width, rows, x, y, where);
    check(cudaMemcpy2D(to, width * sizeof(T), data() + x + y * pitch(), memory_.pitch_bytes(),
                       width * sizeof(T), rows, cudaMemcpyDeviceToHost),
          "pitched::download", where);
  }
  // Fills the padding at the end of each row as well.
  void fill_bytes(int value) { REPRISE_CUDA(cudaMemset(data(), value, rows_ * memory_.pitch_bytes())); }

 private:
  void require_rectangle(std::size_t width, std::size_t rows, std::size_t x, std::size_t y,
                         std::source_location where) const {
    require_inside(x, width, pitch(), where);
    require_inside(y, rows, rows_, where);
  }

  allocation memory_;
  std::size_t rows_{};
};

// A texture object on a buffer, which must outlive it. A kernel takes get() as a cudaTextureObject_t and
// reads tex1Dfetch<T>(object, i); reads outside the buffer give zero. Move only.
template <class T>
class texture {
 public:
  texture() = default;
  explicit texture(const buffer<T>& memory) {
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = const_cast<T*>(memory.data());
    resource.res.linear.desc = cudaCreateChannelDesc<T>();
    resource.res.linear.sizeInBytes = memory.size() * sizeof(T);
    require_width(memory.size(), resource.res.linear.desc);
    cudaTextureDesc reading{};
    reading.readMode = cudaReadModeElementType;
    REPRISE_CUDA(cudaCreateTextureObject(&object_, &resource, &reading, nullptr));
  }
  texture(texture&& other) noexcept : object_(std::exchange(other.object_, 0)) {}
  texture& operator=(texture&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~texture() {
    if (object_ != 0) static_cast<void>(cudaDestroyTextureObject(object_));
  }

  cudaTextureObject_t get() const { return object_; }

 private:
  static void require_width(std::size_t count, const cudaChannelFormatDesc& element) {
    int current = 0;
    std::size_t limit = 0;
    REPRISE_CUDA(cudaGetDevice(&current));
    REPRISE_CUDA(cudaDeviceGetTexture1DLinearMaxWidth(&limit, &element, current));
    if (count > limit)
      throw unavailable("does not fit: a texture of " + std::to_string(count) +
                        " elements asked for, this device reads at most " + std::to_string(limit));
  }

  cudaTextureObject_t object_{};
};

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::cuda
