// SPDX-License-Identifier: MIT
// Tests that every family has the tests that all families must have.
#include <filesystem>

#include "solvers/common/base/registry.hpp"
#include "verification/tests/support/source_dir.hpp"
#include "verification/tests/support/tests.hpp"

using namespace reprise;

TEST_CASE("no variant is left out of the tests that every family must have") {
  for (const manifest_entry& entry : manifest()) {
    const std::string word(entry.id.substr(0, entry.id.find('/')));
    for (const char* const file :
         {"variants_test.cpp", "determinism_test.cpp", "sabotage_test.cpp", "faults.toml"}) {
      INFO(word << " lacks " << file);
      CHECK(std::filesystem::exists(std::filesystem::path(testing::source_dir()) / "verification/tests" /
                                    word / file));
    }
  }
}
