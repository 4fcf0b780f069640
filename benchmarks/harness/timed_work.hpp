// SPDX-License-Identifier: MIT
// Chooses the parts of a timed run that the reference repeats from the solver's own state. The check of a few
// first steps says nothing of the later ones, and repeating the whole run may be too expensive.
#pragma once

#include <string_view>
#include <vector>

namespace reprise::harness {

// The steps after the first `begin` ones.
struct window {
  long begin{};
  long steps{};

  long end() const { return begin + steps; }
};

// Windows of at most `longest` steps in a run of `count`: one begins at random in the first third, one between
// it and the last tenth, one in the last tenth, and one ends with the run. `seed` makes them the same each
// time. Fewer where the run is so short that they would overlap.
std::vector<window> windows_of(long count, long longest, std::string_view seed);

}  // namespace reprise::harness
