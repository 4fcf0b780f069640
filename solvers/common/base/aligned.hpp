// SPDX-License-Identifier: MIT
// Host arrays aligned to cache lines, initialised by the threads that will use them (first touch).
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

#include "solvers/common/base/error.hpp"

namespace reprise {

constexpr std::size_t cache_line_bytes = 64;

template <class T>
class aligned_array {
 public:
  aligned_array() = default;
  aligned_array(std::size_t count, T value) : count_(count) {
    const std::size_t bytes =
        (count * sizeof(T) + cache_line_bytes - 1) / cache_line_bytes * cache_line_bytes;
    data_.reset(static_cast<T*>(std::aligned_alloc(cache_line_bytes, bytes)));
    if (data_ == nullptr)
      throw unavailable("does not fit: " + std::to_string(bytes >> 20U) + " MiB of host memory were refused");
    T* const values = data_.get();
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < count; ++i) values[i] = value;
  }

  T* data() {
    return data_.get();
  }
  const T* data() const {
    return data_.get();
  }
  std::size_t size() const {
    return count_;
  }
  T& operator[](std::size_t i) {
    return data_.get()[i];
  }
  const T& operator[](std::size_t i) const {
    return data_.get()[i];
  }

 private:
  struct release {
    void operator()(T* p) const { std::free(p); }
  };
  std::unique_ptr<T[], release> data_;
  std::size_t count_{};
};

}  // namespace reprise
