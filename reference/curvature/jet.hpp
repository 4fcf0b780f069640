// SPDX-License-Identifier: MIT
// The Taylor polynomial of a function of x and y up to a total order, with arithmetic. Derivatives
// follow from that arithmetic, not from formulas worked out by hand. The result of two operands
// has the lower of their orders.
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

  // The coefficient of x^m y^n. Coefficients are stored by rising order, so a jet of lower order is a
  // prefix of one of higher order.
  double& operator()(int m, int n) { return coefficients_[place(m, n)]; }
  double operator()(int m, int n) const { return coefficients_[place(m, n)]; }
  double value() const { return coefficients_[0]; }

 private:
  static constexpr int place(int m, int n) { return (m + n) * (m + n + 1) / 2 + n; }
  double coefficients_[size]{};
};

// Computes the coefficients from the lowest order up. A rule may therefore use those already computed.
template <int Order, class Rule>
jet<Order> from_lowest(Rule rule) {
  jet<Order> f;
  for (int order = 0; order <= Order; ++order)
    for (int n = 0; n <= order; ++n) f(order - n, n) = rule(f, order - n, n);
  return f;
}

// One coefficient of a product: the sum of term(a, b, m - a, n - b) over a <= m and b <= n.
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

// Solves h g = f for the one coefficient of h that is not known yet, which is still zero in the sum.
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

// Solves r r = f in the same way.
template <int Order>
jet<Order> sqrt(const jet<Order>& f) {
  return from_lowest<Order>([&](const auto& r, int m, int n) {
    if (m + n == 0) return std::sqrt(f.value());
    const double known = convolve(m, n, [&](int a, int b, int c, int d) { return r(a, b) * r(c, d); });
    return (f(m, n) - known) / (2 * r.value());
  });
}

// From D exp f = exp f D f with D = x d/dx + y d/dy. D multiplies a coefficient by its total order.
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
