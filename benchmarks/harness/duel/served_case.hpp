// SPDX-License-Identifier: MIT
// A case in a process that serves requests: as it is offered, loaded and checked.
#pragma once

#include <memory>
#include <vector>

#include "benchmarks/harness/duel/protocol.hpp"
#include "benchmarks/harness/steps.hpp"
#include "benchmarks/harness/subject.hpp"

namespace reprise::duels {

offered_case offered(const harness::step& s, harness::preset level);

// Throws unavailable if the case cannot run here.
std::unique_ptr<harness::subject> loaded(const harness::step& s);

// Throws error with the first finding that is wrong, and if nothing was checked.
void require_good(const std::vector<checkers::finding>& findings);

}  // namespace reprise::duels
