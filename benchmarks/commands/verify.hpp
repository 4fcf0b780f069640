// SPDX-License-Identifier: MIT
// `reprise verify`: checks variants against their references.
#pragma once

#include <iosfwd>

#include "benchmarks/commands/outcome.hpp"
#include "benchmarks/harness/verify.hpp"

namespace reprise::benchmarks {

outcome verify(const harness::verify_request& request, std::ostream& out);

}  // namespace reprise::benchmarks
