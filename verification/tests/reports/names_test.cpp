// SPDX-License-Identifier: MIT
// Tests that every variant and paper has a name, and what is refused as one.
#include "reports/page/names.hpp"

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <string>

#include "benchmarks/commands/gather.hpp"
#include "reports/store/row.hpp"
#include "solvers/common/base/error.hpp"
#include "solvers/common/base/registry.hpp"
#include "verification/tests/support/made_up_folder.hpp"
#include "verification/tests/support/source_dir.hpp"

namespace {

using namespace reprise;
using namespace reprise::reports;
using namespace reprise::testing;

const std::filesystem::path home = source_dir();

TEST_CASE("every variant has a name, and so has every one in print") {
  const auto names = read_variant_names(home / "reports/layouts/variants.csv");
  for (const auto& entry : manifest()) {
    INFO(entry.id << " has no line in reports/layouts/variants.csv");
    CHECK(names.contains(entry.id));
  }
  for (const auto& family : benchmarks::layouts())
    for (const auto& r : read_rows(home / "reference/published" / (family.word + ".csv"))) {
      INFO(r.variant << " has no line in reports/layouts/variants.csv");
      CHECK((r.variant.empty() || names.contains(std::string_view(r.variant))));
    }
  CHECK(names.of("jacobi/cuda_shared") == "Shared memory (CUDA)");
  CHECK(names.of("jacobi/cuda_fresh") == "cuda_fresh");
}

TEST_CASE("every paper with printed tables has a short name") {
  const auto papers = read_paper_names(home / "reports/layouts/papers.csv");
  CHECK(papers.size() == 5);
  for (const auto& p : papers) CHECK(std::filesystem::exists(home / "reports/layouts" / (p.id + ".json")));
}

TEST_CASE("a name that is missing, or that another variant of the paper has, is refused with its line") {
  const temporary_folder folder;
  const auto file = folder / "variants.csv";
  const auto refused = [&](const std::string& lines) {
    put(file, "id,name\n" + lines);
    try {
      read_variant_names(file);
    } catch (const bad_input& problem) {
      return std::string(problem.what());
    }
    return std::string();
  };
  CHECK(refused("a/x,X\na/y,X\n").find("line 3: another variant of a is called \"X\" too") !=
        std::string::npos);
  CHECK(refused("a/x,\n").find("line 2: a/x has no name") != std::string::npos);
  CHECK(refused("a/x,X\na/x,Y\n").find("line 3") != std::string::npos);
  CHECK(refused("a/x,X\nb/x,X\n").empty());
}

}  // namespace
