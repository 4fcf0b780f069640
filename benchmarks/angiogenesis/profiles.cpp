// SPDX-License-Identifier: MIT
// Cuts a state into its profiles.
#include "benchmarks/angiogenesis/profiles.hpp"

#include <array>
#include <string_view>

#include "solvers/angiogenesis/problem.hpp"

namespace reprise::harness::angiogenesis_cases {

std::vector<reports::field> profiles(std::span<const double> values) {
  constexpr std::array<std::string_view, angiogenesis::fields> names{"C", "P", "I", "F"};
  const std::size_t nodes = values.size() / names.size();
  std::vector<reports::field> all;
  for (std::size_t f = 0; f < names.size(); ++f) {
    const auto own = values.subspan(f * nodes, nodes);
    reports::field profile;
    profile.name = names[f];
    profile.nx = static_cast<int>(nodes);
    profile.ny = 1;
    profile.x1 = 1;
    profile.values.assign(own.begin(), own.end());
    all.push_back(std::move(profile));
  }
  return all;
}

}  // namespace reprise::harness::angiogenesis_cases
