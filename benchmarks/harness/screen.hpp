// SPDX-License-Identifier: MIT
// The progress of a run on a terminal: a line with a bar for each experiment that has begun, the last results, and the
// time that is left. It is redrawn between measurements only, because drawing would disturb them.
#pragma once

#include <functional>
#include <iosfwd>
#include <memory>

#include "benchmarks/harness/progress.hpp"

namespace reprise::harness {

struct screen_style {
  int width{80}, height{24};
  bool has_colours{};
};

// The style of the terminal at the standard output now. Colours follow NO_COLOR.
screen_style style_of_terminal();

// Whether the standard output is a terminal that can be redrawn.
bool is_screen();

// Asks for the style before each drawing, because a window may change its size.
std::unique_ptr<progress> screen_progress(std::ostream& out, std::function<screen_style()> style);

}  // namespace reprise::harness
