// SPDX-License-Identifier: MIT
// Counts, and how they changed, for people.
#pragma once

#include <string>

#include "benchmarks/harness/count/counts.hpp"
#include "benchmarks/harness/count/gate.hpp"

namespace reprise::counting {

std::string to_text(const counts& all);
std::string to_text(const comparison& all);
std::string to_markdown(const comparison& all);
nlohmann::json to_json(const comparison& all);

}  // namespace reprise::counting
