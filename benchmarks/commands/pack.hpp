// SPDX-License-Identifier: MIT
// `reprise pack`: makes finished runs small, without loss, and undoes it.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace reprise::benchmarks {

struct pack_request {
  std::vector<std::string> runs{};  // folders
  bool undo{};
};

// Throws bad_input for a folder that is no finished run, or whose files are not those that were sealed.
void pack(const pack_request& request, std::ostream& out);

}  // namespace reprise::benchmarks
