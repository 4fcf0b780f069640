// SPDX-License-Identifier: MIT
// Tests how the parameters of a case are split into parts.
#include "reports/store/parameters.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cmath>

using reprise::reports::parameters;

TEST_CASE("parts of parameters are found by their whole name") {
  const parameters all("method=heun;dt=0.01; note=a=b;steps=20x");
  CHECK(all.text_of("method") == "heun");
  CHECK(all.number("dt") == .01);
  CHECK(all.text_of("note") == "a=b");
  CHECK(std::isnan(all.number("steps")));  // the whole text is not a number
  CHECK(std::isnan(all.number("t")));
  CHECK_FALSE(all.has("step"));
  CHECK(all.text_of("").empty());
}

TEST_CASE("parameters without a part keep the others as they were") {
  const parameters all("method=heun;dt=0.01;;dt=0.02");
  CHECK(all.text() == "method=heun;dt=0.01;dt=0.02");
  CHECK(all.without("dt").text() == "method=heun;dt=0.02");
  CHECK(all.without("error").text() == all.text());
  CHECK(all.only("method").text() == "method=heun");
  CHECK(all.only("error").text().empty());
  CHECK(parameters("").text().empty());
}
