// SPDX-License-Identifier: MIT
// Gives back the memory of texts that nothing refers to any more, so that a process which repeats runs does not grow.
#pragma once

namespace reprise::reports {

// Removes every kept text that no shared_text refers to. Views into such texts are invalid afterwards, so this is for the end of
// a run, not for code that may hold some.
void remove_unused_texts();

}  // namespace reprise::reports
