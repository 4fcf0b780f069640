// SPDX-License-Identifier: MIT
// Runs the tests on the first rank; the others do what it asks of them.
#include <catch2/catch_session.hpp>

#include "solvers/common/ranks.hpp"

int main(int argc, char** argv) {
  reprise::ranks::session all;
  if (all.is_first()) return Catch::Session().run(argc, argv);
  all.serve();
  return 0;
}
