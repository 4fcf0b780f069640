// SPDX-License-Identifier: MIT
// `reprise claims`: prints every claim of the papers with its verdict and the measurements it rests on.
#pragma once

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "benchmarks/commands/outcome.hpp"
#include "reports/judging/claims.hpp"

namespace reprise::benchmarks {

// Which verdicts make the command fail.
// - differs: a claim that differs
// - not_run: a claim that was not run here
// - any: either of them
// - never: no verdict
enum class concern { differs, not_run, any, never };
concern parse_concern(const std::string& name);  // throws bad_input

struct claims_request {
  std::vector<std::string> ids{"*"};  // shell globs over "jacobi" and "jacobi/texture_is_best"
  std::vector<std::string> runs{};    // empty: the runs that come with the program
  std::filesystem::path home{};
  bool as_json{};
  concern fail_on{concern::differs};
};

using verdict_counts = std::map<reports::verdict, std::size_t>;

// Remarks on the runs go to `remarks`. Throws bad_input if a glob matches no claim.
verdict_counts print_claims(const claims_request& request, std::ostream& out, std::ostream& remarks);

// Prints as print_claims does, and judges the counts as the request's `fail_on` says.
outcome claims(const claims_request& request, std::ostream& out, std::ostream& remarks);

}  // namespace reprise::benchmarks
