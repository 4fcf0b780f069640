// SPDX-License-Identifier: MIT
// Everything that reads bytes from outside, over a small corpus and mutations of it: whatever comes is
// accepted or refused, never a crash, and nothing damaged gets through. scripts/fuzz tries far more.
#include <catch2/catch_test_macros.hpp>
#include <random>
#include <string>
#include <vector>

#include "benchmarks/claims_command.hpp"
#include "benchmarks/compare_command.hpp"
#include "benchmarks/harness/experiment.hpp"
#include "solvers/common/error.hpp"
#include "verification/fuzz/mutation.hpp"
#include "verification/fuzz/targets.hpp"

namespace {

using namespace reprise;

constexpr int mutations = 3000;

// The words of a command line that have a grammar of their own.
void take_arguments(std::string_view text) {
  const std::string word(text);
  const auto refused = [&](auto parse) {
    try {
      parse(word);
    } catch (const bad_input&) {
    }
  };
  refused([](const std::string& w) {
    const auto size = harness::parse_size(w);
    const auto again = std::to_string(size.width) + "x" + std::to_string(size.height);
    if (again.size() > w.size()) throw fuzz::let_through("a size that was not given");
  });
  refused([](const std::string& w) {
    const auto [name, value] = harness::parse_setting(w);
    if (name.empty() || !w.starts_with(name + "=")) throw fuzz::let_through("a setting that was not given");
  });
  refused([](const std::string& w) { harness::parse_preset(w); });
  refused([](const std::string& w) { benchmarks::parse_concern(w); });
  refused([](const std::string& w) { benchmarks::parse_fail_on(w); });
  harness::matches(word, "jacobi/cpu_interleaved");
}

std::vector<fuzz::target> all_targets() {
  auto all = fuzz::file_targets();
  all.push_back({"arguments", take_arguments});
  return all;
}

}  // namespace

TEST_CASE("whatever bytes come in are accepted or refused, and nothing damaged gets through") {
  for (const auto& target : all_targets()) {
    INFO(target.name);
    const auto corpus = fuzz::corpus_of(target.name);
    REQUIRE_FALSE(corpus.empty());
    int accepted = 0;
    for (const auto& text : corpus) {
      INFO(text);
      CHECK_NOTHROW(accepted += refusal_of(target, text).empty() ? 1 : 0);
    }
    CHECK(accepted > 0);
    std::mt19937 random(7);
    for (int i = 0; i < mutations; ++i) {
      const auto text =
          fuzz::mutated(corpus[random() % corpus.size()], corpus[random() % corpus.size()], random);
      INFO(text);
      REQUIRE_NOTHROW(refusal_of(target, text));
    }
  }
}
