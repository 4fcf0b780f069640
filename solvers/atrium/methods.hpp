// SPDX-License-Identifier: MIT
// The paper's Runge-Kutta methods, and one more, as data, for the host and for devices, and the stages from which gates
// start under Rush-Larsen. Place: sections 3.1 to 3.4.
#pragma once

#include <array>
#include <cstddef>

#include "solvers/atrium/problem.hpp"
#include "solvers/common/base/error.hpp"

namespace reprise::atrium {

constexpr std::size_t most_stages = 6;

// Stage i evaluates y + h sum_n a[i][n] k_n at t + c[i] h. The result is y + h sum_n b[n] k_n, and h sum_n
// error[n] k_n is its difference to the embedded result.
struct method_data {
  std::size_t stages;
  std::array<double, most_stages> c;
  std::array<std::array<double, most_stages>, most_stages> a;
  std::array<double, most_stages> b;
  std::array<double, most_stages> error;
  int low_order;  // P of (15); 0 if there is no estimate
  // gates_from[i] is the stage from which the gates of stage i start; i = stages means the result. The first
  // stage, which has the old gates, refers to itself.
  std::array<std::size_t, most_stages + 1> gates_from;
  bool
      restarts_gates;  // gates of the result have the coefficients of that stage, and start from the old gates
  std::array<double, most_stages + 1> gates_over;  // for how long, in steps

  // Whether the gates of stage i are also those of the result.
  constexpr bool has_final_gates(std::size_t i) const {
    return i > 0 && gates_from[i] == gates_from[stages] && gates_over[i] == gates_over[stages];
  }
};

// Fills gates_from and gates_over by the rule of gate_rule::rush_larsen.
constexpr method_data with_gates(method_data m) {
  for (std::size_t i = 0; i <= m.stages; ++i) {
    const double c = i == m.stages ? 1 : m.c[i];
    std::size_t from = i;
    for (std::size_t p = 0; p < i; ++p)
      if (m.c[p] < c && (from == i || m.c[p] >= m.c[from])) from = p;
    m.gates_from[i] = from;
    m.gates_over[i] = from == i ? 0 : i == m.stages && m.restarts_gates ? 1 : c - m.c[from];
  }
  return m;
}

// Sets the weights of the error: those of the result minus those of the embedded result.
constexpr method_data with_estimate(method_data m, int low_order, std::array<double, most_stages> low) {
  m.low_order = low_order;
  for (std::size_t n = 0; n < m.stages; ++n) m.error[n] = m.b[n] - low[n];
  return m;
}

constexpr method_data euler_data() {
  method_data m{};
  m.stages = 1;
  m.b = {1};
  return m;
}

constexpr method_data midpoint_data() {  // (12)
  method_data m{};
  m.stages = 2;
  m.c = {0, .5};
  m.a = {{{}, {.5}}};
  m.b = {0, 1};
  return m;
}

constexpr method_data exponential_midpoint_data() {
  method_data m = midpoint_data();
  m.restarts_gates = true;
  return m;
}

constexpr method_data trapezoidal_data() {  // (13) with Euler, 2(1)
  method_data m{};
  m.stages = 2;
  m.c = {0, 1};
  m.a = {{{}, {1}}};
  m.b = {.5, .5};
  return with_estimate(m, 1, {1, 0});
}

constexpr method_data bogacki_shampine_data() {  // 3(2), [23]
  method_data m{};
  m.stages = 4;
  m.c = {0, .5, .75, 1};
  m.a = {{{}, {.5}, {0, .75}, {2. / 9, 1. / 3, 4. / 9}}};
  m.b = {2. / 9, 1. / 3, 4. / 9, 0};
  return with_estimate(m, 2, {7. / 24, 1. / 4, 1. / 3, 1. / 8});
}

constexpr method_data fehlberg_data() {  // 5(4), [20]
  method_data m{};
  m.stages = 6;
  m.c = {0, .25, .375, 12. / 13, 1, .5};
  m.a = {{{},
          {.25},
          {3. / 32, 9. / 32},
          {1932. / 2197, -7200. / 2197, 7296. / 2197},
          {439. / 216, -8, 3680. / 513, -845. / 4104},
          {-8. / 27, 2, -3544. / 2565, 1859. / 4104, -11. / 40}}};
  m.b = {16. / 135, 0, 6656. / 12825, 28561. / 56430, -.18, 2. / 55};
  return with_estimate(m, 4, {25. / 216, 0, 1408. / 2565, 2197. / 4104, -.2, 0});
}

constexpr method_data cash_karp_data() {  // 5(4), [20]
  method_data m{};
  m.stages = 6;
  m.c = {0, .2, .3, .6, 1, .875};
  m.a = {{{},
          {.2},
          {3. / 40, 9. / 40},
          {.3, -.9, 1.2},
          {-11. / 54, 2.5, -70. / 27, 35. / 27},
          {1631. / 55296, 175. / 512, 575. / 13824, 44275. / 110592, 253. / 4096}}};
  m.b = {37. / 378, 0, 250. / 621, 125. / 594, 0, 512. / 1771};
  return with_estimate(m, 4, {2825. / 27648, 0, 18575. / 48384, 13525. / 55296, 277. / 14336, .25});
}

// Throws unavailable for scheme::black_box.
constexpr method_data data_of(scheme s) {
  switch (s) {
    case scheme::euler:
      return with_gates(euler_data());
    case scheme::midpoint:
      return with_gates(midpoint_data());
    case scheme::trapezoidal:
      return with_gates(trapezoidal_data());
    case scheme::bogacki_shampine:
      return with_gates(bogacki_shampine_data());
    case scheme::fehlberg:
      return with_gates(fehlberg_data());
    case scheme::cash_karp:
      return with_gates(cash_karp_data());
    case scheme::exponential_midpoint:
      return with_gates(exponential_midpoint_data());
    case scheme::black_box:
      break;
  }
  throw unavailable("a black box has methods of its own, none of the paper's");
}

// Checks that gates are never advanced backwards in time, where Rush-Larsen would be unstable.
static_assert([] {
  for (scheme s : all_runge_kutta) {
    const method_data m = data_of(s);
    for (std::size_t i = 1; i <= m.stages; ++i)
      if (!(m.gates_over[i] > 0)) return false;
  }
  return data_of(scheme::fehlberg).gates_from == std::array<std::size_t, 7>{0, 0, 1, 2, 3, 2, 3} &&
         data_of(scheme::cash_karp).gates_from == std::array<std::size_t, 7>{0, 0, 1, 2, 3, 3, 5};
}());

}  // namespace reprise::atrium
