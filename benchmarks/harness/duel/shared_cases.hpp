// SPDX-License-Identifier: MIT
// Which cases two programs share, and why the others are left out.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "benchmarks/harness/duel/protocol.hpp"

namespace reprise::duels {

// Why the sides' cases are not the same work; empty if they are.
std::string difference(const offered_case& a, const offered_case& b);

// Where each case is, by its name without an experiment: an experiment may plan a case that another one has planned before.
std::map<reports::number_id, std::size_t> places_of(const std::vector<offered_case>& offered);

// What both sides call by the same name except for this property: "A has it in single, B in double precision"; otherwise
// "only A has it".
std::string why_alone(const offered_case& alone, char side, const std::vector<offered_case>& of_other);

}  // namespace reprise::duels
