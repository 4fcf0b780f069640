// SPDX-License-Identifier: MIT
// The mathematical functions of a cell on SIMD vectors, without calls or branches. The error is two or three
// units in the last place in the range that cells use.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>

#include "solvers/atrium/cell.hpp"

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
  static constexpr int exp_terms = 7;
  static constexpr int log_terms = 6;
  static constexpr float ln2_high = 0.693145751953125F;  // few enough bits for exact products
  static constexpr float ln2_low = 1.428606765330187e-06F;
  static constexpr float largest_exponent = 88.7F;     // 2^128 is infinite
  static constexpr float smallest_exponent = -88.02F;  // 2^-127 is taken for 0
};
template <>
struct vector_types<double> {
  static constexpr std::size_t lanes = 8;
  using real = double __attribute__((vector_size(64)));
  using whole = std::int64_t __attribute__((vector_size(64)));
  static constexpr int mantissa_bits = 52;
  static constexpr int bias = 1023;
  static constexpr int exp_terms = 13;
  static constexpr int log_terms = 11;
  static constexpr double ln2_high = 0.693147180369123816490;
  static constexpr double ln2_low = 1.90821492927058770002e-10;
  static constexpr double largest_exponent = 709.7;
  static constexpr double smallest_exponent = -709;
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

  // 2^n exp(r), where n is the integer nearest to x / ln 2. The result is infinite from
  // about half of the largest number and more, and zero below the smallest normal number.
  REPRISE_INLINED static real exp(const real& x) {
    const reduced at = reduce(x);
    return at.power * (at.r * rest_of_exp(at.r) + Scalar(1));
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

  // 1 - exp(-x) = 1 - 2^n - 2^n (exp(r) - 1), which keeps all digits where x is small and n is 0.
  REPRISE_INLINED static real decay(const real& x) {
    const reduced at = reduce(-x);
    return (Scalar(1) - at.power) - at.power * (at.r * rest_of_exp(at.r));
  }

 private:
  static constexpr int terms_of_log = types::log_terms;

  struct reduced {
    real power;  // 2^n: 0 or infinite if x lies outside the exponents' range
    real r;      // x - n ln 2
  };

  REPRISE_INLINED static reduced reduce(const real& x) {
    constexpr auto magic = static_cast<Scalar>(3LL << (types::mantissa_bits - 1));  // adding it rounds
    // Negated, so that a NaN stays one.
    const real below = choose(x > types::largest_exponent, all(types::largest_exponent), x);
    const real inside = choose(below < types::smallest_exponent, all(types::smallest_exponent), below);
    const real shifted = inside * Scalar(1.4426950408889634) + magic;
    const real n = shifted - magic;
    whole bits;  // of a number whose last bits are n
    std::memcpy(&bits, &shifted, sizeof bits);
    bits = (bits + types::bias) << types::mantissa_bits;
    reduced at;
    std::memcpy(&at.power, &bits, sizeof bits);
    at.r = (inside - n * types::ln2_high) - n * types::ln2_low;
    return at;
  }

  // (exp(r) - 1) / r by its series, for |r| up to ln(2) / 2.
  REPRISE_INLINED static real rest_of_exp(const real& r) {
    real sum = all(inverse_factorial(types::exp_terms));
    for (int k = types::exp_terms - 1; k >= 1; --k) sum = sum * r + inverse_factorial(k);
    return sum;
  }

  static constexpr Scalar inverse_factorial(int k) {
    double product = 1;
    for (int n = 2; n <= k; ++n) product *= n;
    return static_cast<Scalar>(1 / product);
  }
};

}  // namespace reprise::atrium

#pragma GCC diagnostic pop
