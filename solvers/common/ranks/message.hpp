// SPDX-License-Identifier: MIT
// Plain data for sending between processes: values are read in the order in which they were written.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "solvers/common/base/error.hpp"

namespace reprise::ranks {

// Leaves what it makes without a value, where nothing gives one. Long messages would be written twice otherwise.
template <class T>
struct without_values : std::allocator<T> {
  template <class U>
  void construct(U* at) {
    ::new (static_cast<void*>(at)) U;
  }
  template <class U, class... From>
  void construct(U* at, From&&... from) {
    ::new (static_cast<void*>(at)) U(std::forward<From>(from)...);
  }
};

class message {
 public:
  using contents = std::vector<std::byte, without_values<std::byte>>;

  // Reserves space for about `bytes` more, so that a long message is not reallocated while it grows.
  void reserve(std::size_t bytes) { bytes_.reserve(bytes_.size() + bytes); }

  template <class T>
  message& put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>);
    append(&value, sizeof(T));
    return *this;
  }
  template <class T>
  message& put(const std::vector<T>& values) {
    static_assert(std::is_trivially_copyable_v<T>);
    put(values.size());
    append(values.data(), values.size() * sizeof(T));
    return *this;
  }
  message& put(const std::string& text) { return put(std::vector<char>(text.begin(), text.end())); }

  template <class T>
  T get() {
    T value{};
    take(&value, sizeof(T));
    return value;
  }
  template <class T>
  std::vector<T> get_all() {
    const auto count = get<std::size_t>();
    require(count <= (bytes_.size() - at_) / sizeof(T));
    std::vector<T> values(count);
    take(values.data(), count * sizeof(T));
    return values;
  }
  // Calls to(n, value) for each of a list's values, of which there must be `expected`. All threads take part.
  template <class T, class To>
  void get_each(std::size_t expected, To to) {
    require(get<std::size_t>() == expected && expected <= (bytes_.size() - at_) / sizeof(T));
    const std::byte* const from = bytes_.data() + at_;
#pragma omp parallel for schedule(static) if (expected * sizeof(T) >= bytes_worth_threads)
    for (std::size_t n = 0; n < expected; ++n) {
      T value;
      std::memcpy(&value, from + n * sizeof(T), sizeof(T));
      to(n, value);
    }
    at_ += expected * sizeof(T);
  }
  std::string get_text() {
    const auto letters = get_all<char>();
    return {letters.begin(), letters.end()};
  }
  contents& bytes() {
    return bytes_;
  }
  const contents& bytes() const {
    return bytes_;
  }

 private:
  static constexpr std::size_t bytes_worth_threads = 1 << 22;

  static void require(bool is_there) {
    if (!is_there) throw error("a message between ranks does not hold what is expected of it");
  }
  void append(const void* from, std::size_t count) {
    const std::size_t before = bytes_.size();  // GCC 12 warns of an overflow if insert() is used here
    bytes_.resize(before + count);
    if (count > 0) std::memcpy(bytes_.data() + before, from, count);
  }
  void take(void* to, std::size_t count) {
    require(count <= bytes_.size() - at_);
    if (count > 0) std::memcpy(to, bytes_.data() + at_, count);
    at_ += count;
  }

  contents bytes_;
  std::size_t at_{};  // bytes read so far
};

}  // namespace reprise::ranks
