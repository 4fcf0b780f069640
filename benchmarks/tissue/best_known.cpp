// SPDX-License-Identifier: MIT
// Integrates tissues as accurately as is affordable.
#include "benchmarks/tissue/best_known.hpp"

#include <deque>
#include <utility>

namespace reprise::harness::tissue_cases {
namespace {

namespace exact = reference::tissue;
using tissue::model;
using tissue::problem;

// On small grids errors are followed down to rounding. In a smooth model the error is soon below the rounding of
// thousands of steps in double, so these are made in long double; where kinks decide on the error, which is then larger,
// that would only take time. On the papers' grid, with a hundred times the cells, times at errors down to 1e-7 are
// compared, for which a tolerance far below suffices.
best_known integrated(const problem& p, double t_end) {
  constexpr std::size_t small = 100 * 100;
  const bool is_small = p.cells() <= small;
  const double tolerance = is_small ? 1e-15 : 1e-12;
  const auto integrate =
      is_small && p.model == model::fitzhugh_nagumo ? exact::integrate_in_long_double : exact::integrate;
  exact::state fine = integrate(p, t_end, tolerance);
  const double uncertainty = exact::relative_error(integrate(p, t_end, 10 * tolerance), fine);
  return {std::move(fine), uncertainty};
}

}  // namespace

const best_known& best_known_of(const task& t, const problem& p) {
  struct entry {
    task of;
    int nx, ny;
    best_known value;
  };
  static std::deque<entry> kept;
  for (const entry& e : kept)
    if (e.of.model == t.model && e.of.dx == t.dx && e.of.from == t.from && e.of.form == t.form &&
        e.of.replaces_tanh == t.replaces_tanh && e.nx == p.nx && e.ny == p.ny)
      return e.value;
  kept.push_back({t, p.nx, p.ny, integrated(p, end_of(t.model))});
  return kept.back().value;
}

}  // namespace reprise::harness::tissue_cases
