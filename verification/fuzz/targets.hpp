// SPDX-License-Identifier: MIT
// The doors by which bytes come in: each takes any text, and either accepts it as a whole or says in one line
// what is wrong with it. One list for the tests and for scripts/fuzz.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace reprise::fuzz {

// Something got through that should not have: damage that was accepted, a message of several lines.
struct let_through : std::logic_error {
  using std::logic_error::logic_error;
};

struct target {
  std::string_view name;                // of its folder in corpus/, too
  void (*take)(std::string_view text);  // throws bad_input where it refuses
};

const std::vector<target>& file_targets();

// Why the target refuses the text; empty where it accepts it. Throws let_through, or whatever else than
// bad_input came out.
std::string refusal_of(const target& one, std::string_view text);

}  // namespace reprise::fuzz
