// SPDX-License-Identifier: MIT
// Tests in which order runs are gathered for a report or for claims.
#include "benchmarks/commands/gather.hpp"

#include <catch2/catch_test_macros.hpp>

#include "verification/tests/support/made_up_folder.hpp"
#include "verification/tests/support/source_dir.hpp"

using namespace reprise;
using namespace reprise::testing;

TEST_CASE("finished and sealed runs are gathered first, each kind in the order given") {
  const temporary_folder folder;
  const auto path_of = [&](const char* name) { return folder / name; };
  double seconds = 0;  // each run has a time of its own, as two runs may not have the same rows
  for (const char* name : {"unfinished", "unsealed", "sealed", "also_sealed"}) {
    auto run = run_folder::create(path_of(name), run_description);
    append(run, "508x1024", seconds += 1);
    if (path_of(name).filename() != "unfinished") run.finish("2026-01-31T12:00:00Z");
  }
  make_unsealed(path_of("unsealed"));

  const auto all = benchmarks::gather(
      source_dir(), {path_of("unfinished"), path_of("unsealed"), path_of("sealed"), path_of("also_sealed")});
  std::vector<std::string> order;
  for (const auto& r : all.runs) order.push_back(r.folder.filename().string());
  CHECK(order == std::vector<std::string>{"sealed", "also_sealed", "unfinished", "unsealed"});
}
