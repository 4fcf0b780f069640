// SPDX-License-Identifier: MIT
// `reprise list`: lists variants and experiments.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace reprise::benchmarks {

struct list_request {
  std::vector<std::string> ids{"*"};  // shell globs
  bool as_json{};
};

// Prints the matching variants and experiments, each ready or with the reason why it is not. Throws
// bad_input if nothing matches.
void list(const list_request& request, std::ostream& out);

}  // namespace reprise::benchmarks
