// SPDX-License-Identifier: MIT
// The processors for sides with one thread that take turns. Both sides of a bout have the same one, since processors of a
// shared machine differ by tens of percent for seconds, and a bout that other programs leave alone tells more.
#pragma once

#include <random>
#include <vector>

namespace reprise::duels {

class processor_pool {
 public:
  explicit processor_pool(const std::vector<int>& processors);

  // One that no bout has used, or of those with the least other work, to a tenth, one at random.
  int draw(std::mt19937_64& random) const;

  // Tells which share of a bout's time its sides waited for their processor.
  void learn(int processor, double waited);

 private:
  struct seat {
    int processor;
    int other_work{-1};  // in tenths of the time of its last bout
  };
  std::vector<seat> seats_;
};

}  // namespace reprise::duels
