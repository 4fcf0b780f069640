// SPDX-License-Identifier: MIT
// One side of a duel: loads, checks and times the cases that the referee asks for.
#pragma once

namespace reprise::duels {

// Answers requests until the input ends. Everything else that is printed goes to the standard error.
void serve_referee();

}  // namespace reprise::duels
