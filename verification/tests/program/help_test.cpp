// SPDX-License-Identifier: MIT
// Tests what a terminal shows of help and failures.
#include "benchmarks/commands/help.hpp"

#include <catch2/catch_test_macros.hpp>
#include <string>

#include "solvers/common/base/error.hpp"
#include "solvers/common/base/message.hpp"

namespace {

using namespace reprise;
using benchmarks::wrapped_help;

TEST_CASE("help breaks between words, and goes on below the description's beginning") {
  const std::string words = "choose what makes the exit status non-zero and then say more about it";
  CHECK(wrapped_help("  --fail-on TEXT=nothing   " + words + "\n") ==
        "  --fail-on TEXT=nothing   choose what makes the exit status non-zero and then\n"
        "                           say more about it\n");
  CHECK(wrapped_help(words + " " + words) ==
        words + " choose\n    what makes the exit status non-zero and then say more about it\n");
  CHECK(wrapped_help("short\n\n  also\n") == "short\n\n  also\n");
}

TEST_CASE("users see a failure without its place in the sources") {
  CHECK(without_location(error("open failed: no space").what()) == "open failed: no space");
  CHECK(without_location("a reason (of 3.5:1) stays") == "a reason (of 3.5:1) stays");
  CHECK(without_location("max error 3") == "max error 3");
}

}  // namespace
