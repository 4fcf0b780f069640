// SPDX-License-Identifier: MIT
// `reprise claims`: prints the papers' headlines, then every claim with its verdict and what it rests on.
#pragma once

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "benchmarks/commands/outcome.hpp"
#include "reports/judging/judge.hpp"

namespace reprise::benchmarks {

// Which verdicts make the command fail.
// - refuted: a conclusion that no longer or never held, or a number that differs
// - undecided: a claim that was not measured, or that noise leaves open
// - any: either of them
// - never: no verdict
enum class concern { refuted, undecided, any, never };
concern parse_concern(const std::string& name);  // throws bad_input

struct claims_request {
  // Shell globs over "jacobi" and "jacobi/texture_is_best"; if empty, only headlines and counts are printed.
  std::vector<std::string> ids{};
  std::vector<std::string> runs{};  // empty: the runs that come with the program
  std::filesystem::path home{};
  bool as_json{};
  concern fail_on{concern::refuted};
  std::vector<std::string>
      why{};  // shell globs over claims that are explained in full; nothing else is printed
};

// Remarks on the runs go to `remarks`. Throws bad_input if a glob matches no claim.
reports::verdict_counts print_claims(const claims_request& request, std::ostream& out, std::ostream& remarks);

// Prints as print_claims does, and judges the counts as the request's `fail_on` says.
outcome claims(const claims_request& request, std::ostream& out, std::ostream& remarks);

}  // namespace reprise::benchmarks
