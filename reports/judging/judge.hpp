// SPDX-License-Identifier: MIT
// Judges a claim by rows.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "reports/judging/claims.hpp"
#include "reports/judging/noise.hpp"
#include "reports/judging/selection.hpp"

namespace reprise::reports {

// Where an interval lies with respect to a range.
enum class standing { inside, crossing, outside };
standing stand(const interval& of, const range& within);

// One number that was compared with the claim's bound.
struct judged_part {
  std::string label;  // the part's, or the row's that stands for one of `each`
  interval measured;
  standing limit{};        // with respect to the claim's bound
  standing partly{};       // with respect to the second bound; as `limit` if there is none
  std::string arithmetic;  // the expression with the rows' numbers
};

// A row that a claim rests on: a copy, so that it outlives the runs and the printed numbers.
struct used_row {
  std::string key;  // as in `judgement::basis`
  row data;
};

struct judgement {
  verdict outcome{};
  interval measured;               // of the part that decides
  std::vector<judged_part> parts;  // the part that decides is the first one
  std::vector<std::string> basis;  // "table1 cuda_shared@512x1024 cuda:0"
  std::vector<const row*> rows;    // one of each entry of `basis`: an address to look up, not to read
  std::vector<used_row> used;  // all of them; rows that differ in their parameters share an entry of `basis`
  std::string absence;         // why a number is missing, in a word or two; empty if all are there
  std::string reason;          // why it is undecided; otherwise the claim's own reason
  std::string takes;           // what it takes to decide; empty if it is decided
};

// The intervals of sampled times combine in squares, as those of independent measurements do; other intervals add up, as
// roundings of published rows do. Places of a paper that agree within these are consistent.
judgement judge(const claim& c, const evidence& known);

using verdict_counts = std::map<verdict, std::size_t>;

// The number of judgements with each verdict, zeros included.
verdict_counts count_verdicts(std::span<const judgement> judgements);

// "3 holds, 1 no longer", without verdicts that none has.
std::string in_words(const verdict_counts& counts);

}  // namespace reprise::reports
