// SPDX-License-Identifier: MIT
// The tableaus of the Runge-Kutta methods of section 3, and of one more, as fractions, as the textbooks print them.
#pragma once

#include <stdexcept>
#include <vector>

#include "solvers/atrium/problem.hpp"

namespace reprise::reference::atrium {

struct tableau {
  std::vector<double> c;
  std::vector<std::vector<double>> a;  // row i has i entries
  std::vector<double> high;
  std::vector<double> low;  // empty if the method has no error estimate
  int low_order;
  bool
      restarts_gates{};  // by Rush-Larsen the gates make the whole step with the coefficients of its last stage

  std::size_t stages() const { return c.size(); }
};

// Throws std::invalid_argument for scheme::black_box.
inline tableau tableau_of(scheme method) {
  switch (method) {
    case scheme::euler:
      return {{0}, {{}}, {1}, {}, 0};
    case scheme::midpoint:
      return {{0, .5}, {{}, {.5}}, {0, 1}, {}, 0};
    case scheme::exponential_midpoint:
      return {{0, .5}, {{}, {.5}}, {0, 1}, {}, 0, true};
    case scheme::trapezoidal:
      return {{0, 1}, {{}, {1}}, {.5, .5}, {1, 0}, 1};
    case scheme::bogacki_shampine:
      return {{0, .5, .75, 1},
              {{}, {.5}, {0, .75}, {2. / 9, 3. / 9, 4. / 9}},
              {2. / 9, 3. / 9, 4. / 9, 0},
              {7. / 24, 6. / 24, 8. / 24, 3. / 24},
              2};
    case scheme::fehlberg:
      return {{0, 1. / 4, 3. / 8, 12. / 13, 1, 1. / 2},
              {{},
               {1. / 4},
               {3. / 32, 9. / 32},
               {1932. / 2197, -7200. / 2197, 7296. / 2197},
               {439. / 216, -8., 3680. / 513, -845. / 4104},
               {-8. / 27, 2., -3544. / 2565, 1859. / 4104, -11. / 40}},
              {16. / 135, 0, 6656. / 12825, 28561. / 56430, -9. / 50, 2. / 55},
              {25. / 216, 0, 1408. / 2565, 2197. / 4104, -1. / 5, 0},
              4};
    case scheme::cash_karp:
      return {{0, 1. / 5, 3. / 10, 3. / 5, 1, 7. / 8},
              {{},
               {1. / 5},
               {3. / 40, 9. / 40},
               {3. / 10, -9. / 10, 6. / 5},
               {-11. / 54, 5. / 2, -70. / 27, 35. / 27},
               {1631. / 55296, 175. / 512, 575. / 13824, 44275. / 110592, 253. / 4096}},
              {37. / 378, 0, 250. / 621, 125. / 594, 0, 512. / 1771},
              {2825. / 27648, 0, 18575. / 48384, 13525. / 55296, 277. / 14336, 1. / 4},
              4};
    case scheme::black_box:
      break;
  }
  throw std::invalid_argument("a black box has no tableau");
}

}  // namespace reprise::reference::atrium
