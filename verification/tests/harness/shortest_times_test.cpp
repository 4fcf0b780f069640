// SPDX-License-Identifier: MIT
// Tests that shortest times outlive a run, but not a start of the machine.
#include "benchmarks/harness/shortest_times.hpp"

#include "verification/tests/support/temporary_folder.hpp"
#include "verification/tests/support/tests.hpp"

using namespace reprise;
using namespace reprise::harness;

TEST_CASE("a shorter time takes the place of a longer one") {
  shortest_times known({}, "");
  CHECK(known.lower("work", 2) == 2);
  CHECK(known.lower("work", 3) == 2);
  CHECK(known.lower("work", 1) == 1);
  CHECK(known.lower("other work", 5) == 5);
}

TEST_CASE("shortest times are known to later runs until the machine is started again") {
  const testing::temporary_folder folder;
  const auto file = folder.path() / "new" / "times.csv";
  shortest_times first(file, "today");
  first.lower("work, with a comma", 1.5e-8);
  first.keep();
  CHECK(shortest_times(file, "today").lower("work, with a comma", 2) == 1.5e-8);
  CHECK(shortest_times(file, "tomorrow").lower("work, with a comma", 2) == 2);
}

TEST_CASE("two runs at once keep the shorter time of each work") {
  const testing::temporary_folder folder;
  const auto file = folder.path() / "times.csv";
  shortest_times first(file, "today"), second(file, "today");
  first.lower("a", 1);
  first.lower("b", 5);
  second.lower("a", 2);
  second.lower("b", 3);
  first.keep();
  second.keep();
  shortest_times later(file, "today");
  CHECK(later.lower("a", 9) == 1);
  CHECK(later.lower("b", 9) == 3);
}

TEST_CASE("a file that others have written into, or that cannot be written, is no obstacle") {
  const testing::temporary_folder folder;
  const auto file = folder.path() / "times.csv";
  testing::put(file, "today\nno comma\nnegative,-1\nhalf,1.5e\nnone,nan\nwork,2\n");
  shortest_times known(file, "today");
  CHECK(known.lower("work", 3) == 2);
  CHECK(known.lower("negative", 3) == 3);
  CHECK(known.lower("half", 3) == 3);
  CHECK(known.lower("none", 3) == 3);
  testing::put(folder.path() / "no_folder", "");
  shortest_times nowhere(folder.path() / "no_folder" / "times.csv", "today");
  nowhere.lower("work", 1);
  CHECK_NOTHROW(nowhere.keep());
}
