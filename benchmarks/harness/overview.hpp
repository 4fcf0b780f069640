// SPDX-License-Identifier: MIT
// What `reprise list` and `reprise doctor` print.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace reprise::harness {

// Variants and experiments whose ids match, each ready or with its reason. Throws bad_input where nothing
// matches.
void list(const std::vector<std::string>& globs, bool as_json, std::ostream& out);

// Devices, drivers and toolchains; what each missing part costs and how to get it.
void doctor(std::ostream& out);

}  // namespace reprise::harness
