// SPDX-License-Identifier: MIT
// A function of x and y near a point as its Taylor polynomial up to a total order: derivatives follow from
// arithmetic, not from formulas worked out by hand. What has fewer orders limits what is made of it.
#pragma once

#include <algorithm>
#include <cmath>

namespace reprise::reference::curvature {

template <int Order>
class jet {
 public:
  static constexpr int size = (Order + 1) * (Order + 2) / 2;

  static jet constant(double value) {
    jet f;
    f(0, 0) = value;
    return f;
  }
  static jet x_near(double value) {
    static_assert(Order >= 1);
    jet f = constant(value);
    f(1, 0) = 1;
    return f;
  }

  // The coefficient of x^m y^n. A jet of lower order is the beginning of one of higher order.
  double& operator()(int m, int n) { return coefficients_[place(m, n)]; }
  double operator()(int m, int n) const { return coefficients_[place(m, n)]; }
  double value() const { return coefficients_[0]; }

 private:
  static constexpr int place(int m, int n) { return (m + n) * (m + n + 1) / 2 + n; }
  double coefficients_[size]{};
};

// Fills a jet from the lowest order up, so that a rule may use what it has already given.
template <int Order, class Rule>
jet<Order> from_lowest(Rule rule) {
  jet<Order> f;
  for (int order = 0; order <= Order; ++order)
    for (int n = 0; n <= order; ++n) f(order - n, n) = rule(f, order - n, n);
  return f;
}

// The sum over a <= m, b <= n of term(a, b, m - a, n - b): a coefficient of a product.
template <class Term>
double convolve(int m, int n, Term term) {
  double sum = 0;
  for (int a = 0; a <= m; ++a)
    for (int b = 0; b <= n; ++b) sum += term(a, b, m - a, n - b);
  return sum;
}

template <int A, int B>
jet<std::min(A, B)> operator+(const jet<A>& f, const jet<B>& g) {
  return from_lowest<std::min(A, B)>([&](const auto&, int m, int n) { return f(m, n) + g(m, n); });
}

template <int A, int B>
jet<std::min(A, B)> operator-(const jet<A>& f, const jet<B>& g) {
  return from_lowest<std::min(A, B)>([&](const auto&, int m, int n) { return f(m, n) - g(m, n); });
}

template <int A, int B>
jet<std::min(A, B)> operator*(const jet<A>& f, const jet<B>& g) {
  return from_lowest<std::min(A, B)>([&](const auto&, int m, int n) {
    return convolve(m, n, [&](int a, int b, int c, int d) { return f(a, b) * g(c, d); });
  });
}

// h g = f, solved for the one coefficient of h that is not known yet (still zero in the sum).
template <int A, int B>
jet<std::min(A, B)> operator/(const jet<A>& f, const jet<B>& g) {
  return from_lowest<std::min(A, B)>([&](const auto& h, int m, int n) {
    return (f(m, n) - convolve(m, n, [&](int a, int b, int c, int d) { return h(a, b) * g(c, d); })) /
           g.value();
  });
}

template <int Order>
jet<Order> operator*(double s, const jet<Order>& f) {
  return from_lowest<Order>([&](const auto&, int m, int n) { return s * f(m, n); });
}

template <int Order>
jet<Order> operator+(double s, const jet<Order>& f) {
  return jet<Order>::constant(s) + f;
}

// r r = f, solved likewise.
template <int Order>
jet<Order> sqrt(const jet<Order>& f) {
  return from_lowest<Order>([&](const auto& r, int m, int n) {
    if (m + n == 0) return std::sqrt(f.value());
    const double known = convolve(m, n, [&](int a, int b, int c, int d) { return r(a, b) * r(c, d); });
    return (f(m, n) - known) / (2 * r.value());
  });
}

// D exp f = exp f D f with D = x d/dx + y d/dy, which multiplies a coefficient by its order.
template <int Order>
jet<Order> exp(const jet<Order>& f) {
  return from_lowest<Order>([&](const auto& e, int m, int n) {
    if (m + n == 0) return std::exp(f.value());
    return convolve(m, n, [&](int a, int b, int c, int d) { return (a + b) * f(a, b) * e(c, d); }) / (m + n);
  });
}

template <int Order>
jet<Order - 1> d_dx(const jet<Order>& f) {
  return from_lowest<Order - 1>([&](const auto&, int m, int n) { return (m + 1) * f(m + 1, n); });
}

template <int Order>
jet<Order - 1> d_dy(const jet<Order>& f) {
  return from_lowest<Order - 1>([&](const auto&, int m, int n) { return (n + 1) * f(m, n + 1); });
}

}  // namespace reprise::reference::curvature
