// SPDX-License-Identifier: MIT
// The result of a duel for people and programs.
#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "benchmarks/harness/duel/referee.hpp"

namespace reprise::duels {

// How much longer B takes, with its interval: "+5.1 % [+4.2, +6.0]".
std::string text_of_ratio(const reports::paired_estimate& logarithm);

// One line a case, a plot of the ratios, and the geometric mean.
std::string to_text(const duel_result& result, const duel_request& request);
std::string to_markdown(const duel_result& result, const duel_request& request);
nlohmann::json to_json(const duel_result& result, const duel_request& request);
// A picture of the ratios.
std::string to_svg(const duel_result& result, const duel_request& request);
std::string pairs_csv(const duel_result& result);

}  // namespace reprise::duels
