// SPDX-License-Identifier: MIT
// Tests that the program keeps one copy of each text, as long as something refers to it.
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "reports/store/shared_text.hpp"
#include "reports/store/unused_texts.hpp"

using reprise::reports::kept_texts;
using reprise::reports::remove_unused_texts;
using reprise::reports::shared_text;

namespace {

void make_and_drop(int count, const std::string& name) {
  for (int i = 0; i < count; ++i) {
    shared_text made(name + std::to_string(i));
    shared_text copied = made;
    const shared_text moved = std::move(made);
    copied = moved;
  }
}

}  // namespace

TEST_CASE("texts that nothing refers to any more are given back", "[shared_text]") {
  const std::size_t before = kept_texts();

  make_and_drop(100'000, "dropped ");
  remove_unused_texts();

  CHECK(kept_texts() <= before);
}

TEST_CASE("a text that something refers to is kept while others come and go", "[shared_text]") {
  const shared_text held("held while others come and go");
  shared_text moved_into;
  moved_into = shared_text("moved while others come and go");

  make_and_drop(50'000, "passing ");
  remove_unused_texts();

  CHECK(held == shared_text("held while others come and go"));
  CHECK(held.str() == "held while others come and go");
  CHECK(moved_into.str() == "moved while others come and go");
}

TEST_CASE("threads may make and drop the same texts", "[shared_text]") {
  const shared_text held("shared 7");
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([] {
      make_and_drop(20'000, "shared ");
      remove_unused_texts();
    });
  threads.clear();

  CHECK(held == shared_text("shared 7"));
}
