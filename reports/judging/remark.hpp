// SPDX-License-Identifier: MIT
// A text about a claim whose measured numbers come from the rows: "A launch takes [[1e6*{launch@*:time}]] us here, 9 in print."
//
// What stands between [[ and ]] is an expression as in the claim's quantity. Its value takes the place, with the digits that
// its interval allows. Without all rows of its numbers a sentence is left out, so that no text tells numbers of other runs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "reports/judging/quantity.hpp"
#include "reports/judging/selection.hpp"

namespace reprise::reports {

// texts[0] numbers[0] texts[1] ... texts[n].
struct sentence {
  std::vector<std::string> texts;
  std::vector<quantity> numbers;
};

struct remark {
  std::vector<sentence> sentences;
  csv::place at;

  // The numbers of a remark, or else of a sentence, come from one run where one has them all: one of `basis`, on which the
  // claim rests, or another on a machine of that kind.
  std::string with_numbers(const evidence& known, std::span<const run* const> basis = {}) const;
};

// Throws bad_input for [[ without ]], and for a malformed expression.
remark parse_remark(const std::string& text, const csv::place& at);

}  // namespace reprise::reports
