// SPDX-License-Identifier: MIT
// The level of the processor, by which the loader chooses among clones of a function.
#pragma once

#include <string>

namespace reprise::counting {

// "x86-64-v3 (Intel(R) Core(TM) i7-4910MQ CPU @ 2.90GHz)", as the processor, or Valgrind in its place, tells this program.
std::string processor_level();

}  // namespace reprise::counting
