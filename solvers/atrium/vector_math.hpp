// SPDX-License-Identifier: MIT
// The mathematical functions of a cell on SIMD vectors, without calls or branches. The error is two or three
// units in the last place in the range that cells use.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>

#include "solvers/atrium/cell.hpp"
#include "solvers/common/base/exponential.hpp"

// Vectors as wide as a cache line are passed only to inlined functions.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

namespace reprise::atrium {

// A vector of numbers as long as a cache line, and one of integers of the same width.
template <class Scalar>
struct vector_types;
template <>
struct vector_types<float> {
  static constexpr std::size_t lanes = 16;
  using real = float __attribute__((vector_size(64)));
  using whole = std::int32_t __attribute__((vector_size(64)));
  static constexpr int mantissa_bits = 23;
  static constexpr int bias = 127;
  static constexpr int log_terms = 6;
  static constexpr float ln2_high = 0.693145751953125F;  // few enough bits for exact products
  static constexpr float ln2_low = 1.428606765330187e-06F;
  static constexpr float largest_exponent = 88.3F;
  static constexpr float smallest_exponent = -87.2F;
};
template <>
struct vector_types<double> {
  static constexpr std::size_t lanes = 8;
  using real = double __attribute__((vector_size(64)));
  using whole = std::int64_t __attribute__((vector_size(64)));
  static constexpr int mantissa_bits = 52;
  static constexpr int bias = 1023;
  static constexpr int log_terms = 11;
  static constexpr double ln2_high = 0.693147180369123816490;
  static constexpr double ln2_low = 1.90821492927058770002e-10;
  static constexpr double largest_exponent = 709;
  static constexpr double smallest_exponent = -708;
};

template <class Scalar>
struct vector_math {
  using types = vector_types<Scalar>;
  using real = typename types::real;
  using whole = typename types::whole;
  using scalar = Scalar;
  static constexpr bool is_scalar = false;

  REPRISE_INLINED static real all(Scalar x) { return x - real{}; }
  template <class Numerator>
  REPRISE_INLINED static real over(const Numerator& a, const real& b) {
    return a / b;
  }
  REPRISE_INLINED static real choose(const whole& condition, const real& a, const real& b) {
    return condition ? a : b;
  }

  // 2^n exp(r), where n is the integer nearest to x / ln 2. The result is infinite above largest_exponent, roughly
  // half of the largest number, and that of smallest_exponent, about the smallest normal number, below it. A NaN
  // remains one.
  REPRISE_INLINED static real exp(const real& x) {
    const real inside = choose(x > types::largest_exponent, all(types::largest_exponent), x);
    const split s =
        split_of(choose(inside < types::smallest_exponent, all(types::smallest_exponent), inside));
    const real value = times_power_of_two(exponential_tail<Scalar>(s.r) * s.r + Scalar(1), s);
    return choose(x > types::largest_exponent, all(std::numeric_limits<Scalar>::infinity()), value);
  }

  // n ln 2 + 2 artanh((m - 1) / (m + 1)) for x = 2^n m with m from 0.75 to 1.5. x must be positive and
  // normal. Zero, negative, infinite and NaN arguments give NaN.
  REPRISE_INLINED static real log(const real& x) {
    constexpr auto half_mantissa = static_cast<std::int64_t>(1) << (types::mantissa_bits - 1);
    whole bits;
    std::memcpy(&bits, &x, sizeof bits);
    using integer = std::remove_reference_t<decltype(bits[0])>;
    whole exponent = (bits >> types::mantissa_bits) - integer{types::bias};
    whole mantissa_bits = (bits & integer((std::int64_t{1} << types::mantissa_bits) - 1)) |
                          integer(static_cast<std::int64_t>(types::bias) << types::mantissa_bits);
    const whole is_high = (bits & integer(half_mantissa)) != 0;  // m is 1.5 or more, so it is halved
    exponent = exponent - is_high;
    mantissa_bits = mantissa_bits + (is_high & integer(-(std::int64_t{1} << types::mantissa_bits)));
    real m;
    std::memcpy(&m, &mantissa_bits, sizeof m);
    const real s = (m - Scalar(1)) / (m + Scalar(1));
    const real s2 = s * s;
    real sum = all(Scalar(1. / (2 * terms_of_log + 1)));
    for (int k = terms_of_log - 1; k >= 0; --k) sum = sum * s2 + Scalar(1. / (2 * k + 1));
    const real n = __builtin_convertvector(exponent, real);
    const real value = n * types::ln2_high + (n * types::ln2_low + Scalar(2) * s * sum);
    return choose((x > Scalar(0)) & (x < std::numeric_limits<Scalar>::infinity()), value,
                  all(std::numeric_limits<Scalar>::quiet_NaN()));
  }

  REPRISE_INLINED static real sqrt(const real& x) {
    real root;
    for (std::size_t lane = 0; lane < types::lanes; ++lane) root[lane] = std::sqrt(x[lane]);
    return root;
  }

  // 1 - exp(-x) = (1 - 2^n) - 2^n (exp(r) - 1), which keeps the digits of a small x, where n is 0.
  REPRISE_INLINED static real decay(const real& x) {
    const split s = split_of(choose(-x < types::smallest_exponent, all(types::smallest_exponent), -x));
    const real power = times_power_of_two(all(Scalar(1)), s);
    return (Scalar(1) - power) - power * (exponential_tail<Scalar>(s.r) * s.r);
  }

 private:
  static constexpr int terms_of_log = types::log_terms;

  // x = n ln 2 + r with an integer n, which is also the lowest bits of n + magic.
  struct split {
    real shifted, r;
  };

  REPRISE_INLINED static split split_of(const real& x) {
    constexpr auto magic = static_cast<Scalar>(3LL << (types::mantissa_bits - 1));  // adding it rounds
    const real shifted = x * Scalar(1.4426950408889634) + magic;
    const real n = shifted - magic;
    return {shifted, (x - n * types::ln2_high) - n * types::ln2_low};
  }

  // 2^n y, where y is between a half and two.
  REPRISE_INLINED static real times_power_of_two(const real& y, const split& s) {
    whole bits;
    whole power;
    std::memcpy(&bits, &y, sizeof bits);
    std::memcpy(&power, &s.shifted, sizeof power);
    bits += power << types::mantissa_bits;
    real value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
};

}  // namespace reprise::atrium

#pragma GCC diagnostic pop
