// SPDX-License-Identifier: MIT
// Reads the option --fail-on, which several commands have with names of their own.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "solvers/common/base/error.hpp"

namespace reprise::benchmarks {

// Returns the enumerator whose name this is; `names` are in the order of the enumerators. Throws bad_input, with
// the names, for any other.
template <class Value, std::size_t count>
Value fail_on_named(const std::array<std::string_view, count>& names, const std::string& name) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end())
    throw bad_input(fmt::format("--fail-on '{}' is unknown: give one of {}", name, fmt::join(names, ", ")));
  return static_cast<Value>(found - names.begin());
}

}  // namespace reprise::benchmarks
