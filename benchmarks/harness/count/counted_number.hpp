// SPDX-License-Identifier: MIT
// A number that counts the operations made with it: kernels that are templates on their numbers are counted with it.
#pragma once

#include <concepts>
#include <utility>

namespace reprise::counting {

template <class Number>
concept plain_number = std::floating_point<Number> || std::integral<Number>;

// Each addition, subtraction, multiplication and division counts as one. So does handing the number to a library's function,
// which takes it as a double: a root or an exponential. A change of sign is free, as on processors. What is made of constants
// alone is made once, whatever the number of nodes, and does not count.
class counted_number {
 public:
  counted_number() = default;
  // A constant, or what a library's function has made of a number that it was handed just before.
  template <plain_number Number>
  counted_number(Number value)
      : value_(static_cast<double>(value)), depends_on_node_(std::exchange(is_handed_, false)) {}
  // A number of its own at each node.
  static counted_number of_node(double value) { return {value, true}; }

  operator double() const {
    made_ += depends_on_node_;
    is_handed_ = depends_on_node_;
    return value_;
  }

  static long operations() { return made_; }

  friend counted_number operator+(counted_number a, counted_number b) {
    return made(a, b, a.value_ + b.value_);
  }
  friend counted_number operator-(counted_number a, counted_number b) {
    return made(a, b, a.value_ - b.value_);
  }
  friend counted_number operator*(counted_number a, counted_number b) {
    return made(a, b, a.value_ * b.value_);
  }
  friend counted_number operator/(counted_number a, counted_number b) {
    return made(a, b, a.value_ / b.value_);
  }
  friend counted_number operator-(counted_number a) { return {-a.value_, a.depends_on_node_}; }
  friend bool operator<(counted_number a, counted_number b) { return a.value_ < b.value_; }
  counted_number& operator+=(counted_number other) { return *this = *this + other; }

 private:
  counted_number(double value, bool depends_on_node) : value_(value), depends_on_node_(depends_on_node) {}
  static counted_number made(counted_number a, counted_number b, double value) {
    const bool depends_on_node = a.depends_on_node_ || b.depends_on_node_;
    made_ += depends_on_node;
    return {value, depends_on_node};
  }

  double value_{};
  bool depends_on_node_{};
  static inline long made_ = 0;
  static inline bool is_handed_ = false;
};

// Without these, a plain number could become a counted one, or the counted one plain.
template <plain_number Number>
counted_number operator+(Number a, counted_number b) {
  return counted_number(a) + b;
}
template <plain_number Number>
counted_number operator+(counted_number a, Number b) {
  return a + counted_number(b);
}
template <plain_number Number>
counted_number operator-(Number a, counted_number b) {
  return counted_number(a) - b;
}
template <plain_number Number>
counted_number operator-(counted_number a, Number b) {
  return a - counted_number(b);
}
template <plain_number Number>
counted_number operator*(Number a, counted_number b) {
  return counted_number(a) * b;
}
template <plain_number Number>
counted_number operator*(counted_number a, Number b) {
  return a * counted_number(b);
}
template <plain_number Number>
counted_number operator/(Number a, counted_number b) {
  return counted_number(a) / b;
}
template <plain_number Number>
counted_number operator/(counted_number a, Number b) {
  return a / counted_number(b);
}
template <plain_number Number>
bool operator<(counted_number a, Number b) {
  return a < counted_number(b);
}

// The operations that `work` makes with such numbers.
template <class Work>
long operations_of(Work work) {
  const long before = counted_number::operations();
  work();
  return counted_number::operations() - before;
}

}  // namespace reprise::counting
