// SPDX-License-Identifier: MIT
// A paper's claims with their verdicts, and the data that they are judged by.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "reports/judging/claims.hpp"
#include "reports/judging/derived.hpp"
#include "reports/judging/judge.hpp"
#include "reports/store/layout.hpp"
#include "reports/store/run.hpp"

namespace reprise::reports {

// The input of a report or of a list of verdicts.
struct report_input {
  std::vector<run> runs;
  std::vector<family_layout> families;
  std::filesystem::path published_dir;  // <word>.csv, the rows that the paper printed
  std::filesystem::path claims_dir;     // <word>.csv, bounds.csv, and beyond/<word>.csv with claims of ours
  std::filesystem::path derived_dir;    // <word>.csv, for papers with derived cells
};

// The family's file in one of these folders.
std::filesystem::path file_of(const std::filesystem::path& folder, const family_layout& family);

// The metric of a claim that names none.
std::string usual_metric(const family_layout& family);

// The claims of a paper, and then ours about it, with the bounds of all claims.
std::vector<claim> claims_of(const std::filesystem::path& claims_dir, const family_layout& family);

struct assessment {
  std::vector<claim> claims;
  std::vector<judgement> judgements;  // one for each claim
  std::vector<derived_cell> derived;
  std::vector<recomputation> recomputed;  // one for each derived cell
};

// The indices of the headlines among the claims, in their order.
std::vector<std::size_t> headlines_of(const assessment& all);

// The verdicts on the claims of a class, without those that none has. Conclusions, printed numbers and a paper's
// arithmetic are never added together.
verdict_counts counts_of(const assessment& all, claim_class kind);

assessment assess(const report_input& from, const family_layout& family, const printed_rows& paper);

}  // namespace reprise::reports
