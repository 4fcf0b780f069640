// SPDX-License-Identifier: MIT
// Feeds a small corpus and mutations of it to everything that reads bytes from outside: each input is
// accepted or refused without a crash, and no damaged input is accepted. scripts/fuzz tries far more.
#include "benchmarks/commands/claims.hpp"
#include "benchmarks/commands/compare.hpp"
#include "benchmarks/harness/experiment.hpp"
#include "verification/tests/fuzz/mutation.hpp"
#include "verification/tests/fuzz/targets.hpp"
#include "verification/tests/support/tests.hpp"

namespace {

using namespace reprise;

// The parser of CSV takes 48 MiB for each text, which AddressSanitizer marks byte by byte.
#ifdef __SANITIZE_ADDRESS__
constexpr int mutations = 300;
#else
constexpr int mutations = 3000;
#endif

// The command-line arguments that have a syntax of their own.
void take_arguments(std::string_view text) {
  const std::string word(text);
  const auto refused = [&](auto parse) {
    try {
      parse(word);
    } catch (const bad_input&) {
    }
  };
  refused([](const std::string& w) {
    if (to_string(harness::parse_size(w)).size() > w.size())
      throw fuzz::let_through("a size that was not given");
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

}  // namespace

TEST_CASE("whatever bytes come in are accepted or refused, and nothing damaged gets through") {
  auto targets = fuzz::file_targets();
  targets.push_back({"arguments", take_arguments});
  for (const auto& target : targets) {
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
