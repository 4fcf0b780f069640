// SPDX-License-Identifier: MIT
// Measures how far states are from each other.
#include "verification/tissue/departure.hpp"

#include <cmath>
#include <vector>

#include "verification/checkers/maximum.hpp"

namespace reprise::verification::tissue {
namespace {

using reference::tissue::state;
using reprise::tissue::problem;

// The slope of u over a spacing at each cell that is not at a border; zero at the others.
std::vector<double> slopes_of(const problem& p, const std::vector<double>& u) {
  const auto nx = static_cast<std::size_t>(p.nx);
  std::vector<double> slopes(u.size());
  for (std::size_t j = 1; j + 1 < static_cast<std::size_t>(p.ny); ++j)
    for (std::size_t i = 1; i + 1 < nx; ++i) {
      const std::size_t cell = i + nx * j;
      slopes[cell] = std::hypot(u[cell + 1] - u[cell - 1], u[cell + nx] - u[cell - nx]) / 2;
    }
  return slopes;
}

double shift_of_front(const problem& p, const std::vector<double>& u, const std::vector<double>& exact) {
  const std::vector<double> slopes = slopes_of(p, exact);
  const double steepest = checkers::largest_magnitude(slopes);
  double shift = 0;
  for (std::size_t cell = 0; cell < u.size(); ++cell)
    if (!(slopes[cell] < steepest / 2))
      checkers::raise(shift, std::abs(u[cell] - exact[cell]) / slopes[cell]);
  return shift;
}

}  // namespace

departure departure_of(const problem& p, const state& from_exact, const state& exact) {
  const double scale = checkers::largest_magnitude(exact.front());
  return {reference::tissue::relative_error(from_exact, exact),
          checkers::largest_distance(from_exact.front(), exact.front()) / scale,
          shift_of_front(p, from_exact.front(), exact.front())};
}

}  // namespace reprise::verification::tissue
