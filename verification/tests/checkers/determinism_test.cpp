// SPDX-License-Identifier: MIT
// Tests that answers which contradict a declared class of determinism are found.
#include "verification/tests/support/determinism.hpp"

using namespace reprise;
using namespace reprise::verification;

TEST_CASE("answers that contradict what is declared are found", "[determinism]") {
  const answer a{1, -2, 3};
  const auto with_last = [&](double value) { return answer{1, -2, value}; };

  CHECK(contradiction(determinism::bitwise, a, a).empty());
  CHECK_FALSE(contradiction(determinism::bitwise, a, with_last(std::nextafter(3, 4))).empty());
  CHECK(contradiction(determinism::bounded, a, with_last(3 + bound)).empty());
  CHECK_FALSE(contradiction(determinism::bounded, a, with_last(3 + 6 * bound)).empty());
  CHECK(contradiction(determinism::none, a, with_last(3.1)).empty());
  CHECK_FALSE(contradiction(determinism::none, a, with_last(std::nan(""))).empty());
  CHECK_FALSE(contradiction(determinism::none, a, {}).empty());
}
