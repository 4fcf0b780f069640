// SPDX-License-Identifier: MIT
// `reprise doctor`: tells what this machine can run.
#pragma once

#include <iosfwd>

namespace reprise::benchmarks {

// Prints devices, drivers and toolchains, and for each missing part what it costs and how to get it.
void doctor(std::ostream& out);

}  // namespace reprise::benchmarks
