// SPDX-License-Identifier: MIT
// What most tests use: Catch2 with its matchers, the standard library, temporary folders, and the messages
// of exceptions. The build compiles it once.
#pragma once

#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "solvers/common/base/error.hpp"
#include "verification/tests/support/temporary_folder.hpp"

namespace reprise::testing {

// Matches an exception whose message holds this part.
inline auto says(const std::string& part) {
  return Catch::Matchers::MessageMatches(Catch::Matchers::ContainsSubstring(part));
}

}  // namespace reprise::testing

namespace reprise {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;
using testing::complaint_of;
using testing::temporary_folder;

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

}  // namespace reprise
