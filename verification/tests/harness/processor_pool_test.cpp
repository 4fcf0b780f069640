// SPDX-License-Identifier: MIT
// Tests which processor a bout gets.
#include "benchmarks/harness/duel/processor_pool.hpp"

#include <catch2/catch_test_macros.hpp>
#include <random>
#include <set>

namespace {

using reprise::duels::processor_pool;

std::set<int> drawn(const processor_pool& pool) {
  std::mt19937_64 random(7);
  std::set<int> all;
  for (int i = 0; i < 40; ++i) all.insert(pool.draw(random));
  return all;
}

TEST_CASE("a bout gets a processor that none has used before, or one with the least other work") {
  processor_pool pool({3, 5, 8});
  CHECK(drawn(pool) == std::set{3, 5, 8});
  pool.learn(3, .5);
  CHECK(drawn(pool) == std::set{5, 8});
  pool.learn(5, .01);
  pool.learn(8, .04);
  CHECK(drawn(pool) == std::set{5, 8});
  pool.learn(8, .32);
  CHECK(drawn(pool) == std::set{5});
  pool.learn(5, .6);
  CHECK(drawn(pool) == std::set{8});
}

}  // namespace
