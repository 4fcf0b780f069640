// SPDX-License-Identifier: MIT
// The verdicts on claims.
#pragma once

#include <array>
#include <string_view>

namespace reprise::reports {

// A conclusion holds, holds in part, no longer holds (it did on the paper's hardware), or never did (no hardware
// explains it). A printed number is reproduced or differs. Two places of a paper are consistent, or one of them is a
// misprint, or they contradict each other, or we depend on our reading of a text that is damaged or silent. A
// statement of ours holds or differs. Undecided: nothing was measured, or noise crosses the bound.
enum class verdict {
  holds,
  holds_in_part,
  no_longer,
  never_did,
  reproduced,
  differs,
  consistent,
  misprint,
  contradiction,
  our_reading,
  shown,
  undecided
};
constexpr std::array<verdict, 12> all_verdicts{
    verdict::holds,         verdict::holds_in_part, verdict::no_longer,  verdict::never_did,
    verdict::reproduced,    verdict::differs,       verdict::consistent, verdict::misprint,
    verdict::contradiction, verdict::our_reading,   verdict::shown,      verdict::undecided};
constexpr std::array<std::string_view, 12> verdict_names{
    "holds",      "holds in part", "no longer",     "never did",   "reproduced", "differs",
    "consistent", "misprint",      "contradiction", "our reading", "shown",      "undecided"};

constexpr std::string_view to_string(verdict v) {
  return verdict_names.at(static_cast<std::size_t>(v));
}

// Whether a measurement here contradicts what was claimed.
constexpr bool is_refuted(verdict v) {
  return v == verdict::no_longer || v == verdict::never_did || v == verdict::differs;
}

}  // namespace reprise::reports
