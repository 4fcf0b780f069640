// SPDX-License-Identifier: MIT
// `reprise list`: lists variants and experiments.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

namespace reprise::benchmarks {

struct list_request {
  std::vector<std::string> ids{"*"};  // shell globs
  bool as_json{};
  std::filesystem::path home{};  // holds the costs of cases
};

// Prints the matching variants and experiments with their titles, each ready or with the reason why it is not, and what
// an experiment takes in the preset quick. Throws
// bad_input if nothing matches.
void list(const list_request& request, std::ostream& out);

}  // namespace reprise::benchmarks
