// SPDX-License-Identifier: MIT
// The readers of outside input: each takes any text, and either accepts all of it or refuses it with a
// message of one line. The tests and scripts/fuzz use the same list.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace reprise::fuzz {

// An input was treated wrongly: damage was accepted, or a message had several lines.
struct let_through : std::logic_error {
  using std::logic_error::logic_error;
};

struct target {
  std::string_view name;                // also the name of its folder in corpus/
  void (*take)(std::string_view text);  // throws bad_input for input that it refuses
};

const std::vector<target>& file_targets();

// Why the target refuses the text; empty if it accepts it. Throws let_through, and rethrows
// exceptions other than bad_input.
std::string refusal_of(const target& one, std::string_view text);

}  // namespace reprise::fuzz
