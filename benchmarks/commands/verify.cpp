// SPDX-License-Identifier: MIT
// Verifies variants and prints the numbers of right and wrong answers.
#include "benchmarks/commands/verify.hpp"

#include <fmt/core.h>

#include <ostream>

namespace reprise::benchmarks {

outcome verify(const harness::verify_request& request, std::ostream& out) {
  const auto counts = harness::verify_variants(request, out);
  out << fmt::format("{} right, {} wrong, {} skipped\n", counts.measured, counts.failed, counts.skipped);
  return outcome_of(counts);
}

}  // namespace reprise::benchmarks
