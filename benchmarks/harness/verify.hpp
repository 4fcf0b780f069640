// SPDX-License-Identifier: MIT
// Checks variants against their references without timing them.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "benchmarks/harness/runner.hpp"

namespace reprise::harness {

struct verify_request {
  std::vector<std::string> variants{"*"};  // shell globs
  std::vector<std::string> sizes;          // from the command line, not parsed; empty: the families' own
  std::string device_glob{"*"};
};

// Prints one line for each variant and device, and one for each wrong answer. CUDA variants without a device
// are checked in emulation. Before the first check, throws bad_input if a glob matches no variant, or if the
// family of one of the variants does not accept one of the sizes.
run_outcome verify_variants(const verify_request& request, std::ostream& out);

}  // namespace reprise::harness
