// SPDX-License-Identifier: MIT
// How long this process was ready to run, but had no processor.
#pragma once

#include <optional>

namespace reprise::duels {

// Seconds since the process began, over all its threads. Nothing where the kernel does not tell.
std::optional<double> seconds_queued();

}  // namespace reprise::duels
