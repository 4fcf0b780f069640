// SPDX-License-Identifier: MIT
// Runs the tests on the first rank; the other ranks execute its commands.
#include <catch2/catch_session.hpp>

#include "solvers/common/ranks/ranks.hpp"

int main(int argc, char** argv) {
  reprise::ranks::session all;
  if (all.is_first()) return Catch::Session().run(argc, argv);
  all.serve();
  return 0;
}
