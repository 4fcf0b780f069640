// SPDX-License-Identifier: MIT
// A number that counts the operations made with it: kernels that are templates on their numbers are counted with it.
#pragma once

#include <cmath>

namespace reprise::counting {

// Each addition, subtraction, multiplication, division, root and exponential counts as one, and so does a change of sign of
// none: processors have it for free.
class counted_number {
 public:
  counted_number() = default;
  constexpr counted_number(double value) : value_(value) {}
  constexpr counted_number(float value) : value_(value) {}
  constexpr counted_number(int value) : value_(value) {}

  double value() const { return value_; }
  explicit operator double() const { return value_; }

  static long operations() { return made_; }
  static counted_number made_of(double value) {
    ++made_;
    return value;
  }

  friend counted_number operator+(counted_number a, counted_number b) { return made_of(a.value_ + b.value_); }
  friend counted_number operator-(counted_number a, counted_number b) { return made_of(a.value_ - b.value_); }
  friend counted_number operator*(counted_number a, counted_number b) { return made_of(a.value_ * b.value_); }
  friend counted_number operator/(counted_number a, counted_number b) { return made_of(a.value_ / b.value_); }
  friend counted_number operator-(counted_number a) { return -a.value_; }
  counted_number& operator+=(counted_number other) { return *this = *this + other; }
  friend bool operator<(counted_number a, counted_number b) { return a.value_ < b.value_; }
  friend counted_number sqrt(counted_number a) { return made_of(std::sqrt(a.value_)); }

 private:
  double value_{};
  static inline long made_ = 0;
};

// The operations that `work` makes with such numbers.
template <class Work>
long operations_of(Work work) {
  const long before = counted_number::operations();
  work();
  return counted_number::operations() - before;
}

}  // namespace reprise::counting
