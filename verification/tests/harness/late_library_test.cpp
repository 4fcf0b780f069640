// SPDX-License-Identifier: MIT
// Tests libraries that are loaded when they are first needed.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>

#include "solvers/common/base/error.hpp"
#include "solvers/common/base/late_library.hpp"

using namespace reprise;
using Catch::Matchers::Message;

TEST_CASE("a library is loaded by the first of its names that is there, and its functions are called") {
  const late_library mathematics({"libnowhere.so.1", "libm.so.6"}, "install it");
  CHECK(mathematics.find<double(double)>("sqrt")(16) == 4);
}

TEST_CASE("a library or a function that is missing is unavailable, with how to get it") {
  CHECK_THROWS_MATCHES(late_library({"libnowhere.so.1", "/nowhere/libnowhere.so"}, "install libnowhere1"),
                       unavailable, Message("libnowhere.so.1 was not found: install libnowhere1"));
  const late_library mathematics({"libm.so.6"}, "install it");
  CHECK_THROWS_MATCHES(mathematics.find<double(double)>("quadrature"), unavailable,
                       Message("libm.so.6 has no quadrature"));
}
