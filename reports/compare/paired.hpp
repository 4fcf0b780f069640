// SPDX-License-Identifier: MIT
// Decides from pairs of timings of two programs, taken side by side, which program is faster. Decisions may be asked for
// after any number of pairs: their error rates hold although the first clear answer ends the measurement.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace reprise::reports {

// The Hodges-Lehmann estimate of the pairs' centre, the median of all means of two of them, with the interval of the signed
// ranks that misses the centre with probability `error`. With too few pairs for that, the interval has no ends.
struct paired_estimate {
  double value{};
  double low{}, high{};
};
paired_estimate centre_of(std::span<const double> pairs, double error);

// The probability that pairs without a difference, each with a sign drawn at random, have signed ranks of a sum at least as
// high as the pairs have above `shift`.
double chance_of_being_above(std::span<const double> pairs, double shift);

enum class pace { faster, slower, same, undecided };
std::string_view to_string(pace p);

// How sure a duel's statements must be.
struct duel_rule {
  double error{.002};  // the probability that any statement of the duel is wrong
  double margin{.01};  // a logarithm: differences that are smaller do not matter
  bool allows_same{true};
};

// The evidence on one case. A pair is the logarithm of how much longer the second program took.
class duel_evidence {
 public:
  // Looks at the pairs so far.
  void look(std::span<const double> pairs, const duel_rule& rule);

  // What the pairs suggest, and the probability that pairs for which it is wrong suggest it so strongly at any look.
  struct suggestion {
    pace says{pace::undecided};
    double chance_of_error{1};
  };
  suggestion suggests(const duel_rule& rule) const;

  // With the interval that holds at the level of the last look.
  const paired_estimate& centre() const { return centre_; }

 private:
  int looks_{};
  double not_faster_{1}, not_slower_{1}, not_same_{1};  // the lowest probabilities so far
  paired_estimate centre_;
};

// The verdict on each case by Holm's method: the clearest case must meet the strictest level.
std::vector<pace> judge(std::span<const duel_evidence> cases, const duel_rule& rule);

// How many pairs a clear verdict would take, if the pairs go on to scatter as they did.
std::size_t pairs_needed(std::span<const double> pairs, const duel_rule& rule);

}  // namespace reprise::reports
