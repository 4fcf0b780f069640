// SPDX-License-Identifier: MIT
// A paper's claims with the verdict on each, and what they are judged by.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "reports/claims.hpp"
#include "reports/derived.hpp"
#include "reports/layout.hpp"
#include "reports/run_folder.hpp"

namespace reprise::reports {

// What a report, or a list of verdicts, is made of.
struct material {
  std::vector<run> runs;
  std::vector<family_layout> families;
  std::filesystem::path published_dir;  // <word>.csv, the rows that the paper printed
  std::filesystem::path claims_dir;     // <word>.csv
  std::filesystem::path derived_dir;    // <word>.csv, where a paper has derived cells
};

// The family's file below one of these folders.
std::filesystem::path file_of(const std::filesystem::path& folder, const family_layout& family);

// What a claim means that names no metric.
std::string usual_metric(const family_layout& family);

struct ledger {
  std::vector<claim> claims;
  std::vector<judgement> judgements;  // one for each claim
  std::vector<derived_cell> derived;
  std::vector<recomputation> recomputed;  // one for each derived cell
};

ledger make_ledger(const material& from, const family_layout& family, const printed_rows& paper);

}  // namespace reprise::reports
