// SPDX-License-Identifier: MIT
// What `reprise claims` prints: every claim of the papers with its verdict, and what that rests on.
#pragma once

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "reports/claims.hpp"

namespace reprise::benchmarks {

// Which verdicts the caller cannot accept.
//   differs   a claim that differs
//   not_run   a claim that was not run here
//   any       either
//   never     none
enum class concern { differs, not_run, any, never };
concern parse_concern(const std::string& name);  // throws bad_input

struct claims_request {
  std::vector<std::string> ids{"*"};  // shell globs over "jacobi" and "jacobi/texture_is_best"
  std::vector<std::string> runs{};    // folders; those that come with the program where there are none
  std::filesystem::path home;
  bool as_json{};
};

using verdict_counts = std::map<reports::verdict, std::size_t>;

// Remarks on the runs go to `remarks`. Throws bad_input where a glob matches no claim.
verdict_counts print_claims(const claims_request& request, std::ostream& out, std::ostream& remarks);

}  // namespace reprise::benchmarks
