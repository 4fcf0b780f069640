// SPDX-License-Identifier: MIT
// The program that is counted: loads, checks and runs cases one by one.
#pragma once

namespace reprise::counting {

// Answers requests until the input ends.
void serve_counter();

}  // namespace reprise::counting
