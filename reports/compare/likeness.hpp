// SPDX-License-Identifier: MIT
// Checks whether runs may be compared, and lists the differences between those that may.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "reports/compare/sources.hpp"

namespace reprise::reports {

// The experiments that are compared: those whose id matches the shell glob. Families know which settings their
// experiments have; a setting of another family does not matter. Without families every setting matters.
struct comparison_scope {
  std::string glob{"*"};
  std::span<const family_layout> families{};
};

// Properties of runs that may differ only if the user names them.
std::vector<std::string> variable_properties();

// Throws bad_input with one line if the same run is given twice.
void require_once(std::span<const compared> all);

// Throws bad_input with one line if runs of an experiment differ in preset, sizes, settings, version or build
// and `vary` does not name that property, or if `vary` names an unknown property.
void require_same_properties(std::span<const compared> all, std::span<const std::string> vary,
                             const comparison_scope& scope = {});

// Runs both checks above. Also throws bad_input if an item shares no experiment with any other, or if two
// items have no common precision for the same case and `vary` does not name "precision".
void require_alike(std::span<const compared> all, std::span<const std::string> vary,
                   const comparison_scope& scope = {});

// One line for each of these keys of run.json whose texts differ between the runs.
std::vector<std::string> differences_in(std::span<const compared> all,
                                        std::initializer_list<const char*> keys);

// What a reader has to know first, a line each: of which papers, or of which chosen experiments, an item has no
// number, under which other name a paper printed a board, and other differences, which may explain different numbers.
std::vector<std::string> other_differences(std::span<const compared> all, const comparison_scope& scope = {});

}  // namespace reprise::reports
