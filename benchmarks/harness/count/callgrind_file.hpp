// SPDX-License-Identifier: MIT
// Reads what Callgrind has counted.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace reprise::counting {

struct callgrind_counts {
  std::int64_t instructions{};  // without those of the C library's allocator
  std::int64_t branches{}, mispredicted{};
  std::int64_t misses_of_first{},
      misses_of_last{};                           // of the first and the last level of the simulated caches
  std::int64_t allocations{};                     // calls that ask the C library for memory
  std::map<std::string, std::int64_t> functions;  // the instructions of each, without those that it calls
};

// Throws bad_input with the line if the text is no output of Callgrind.
callgrind_counts read_callgrind(std::string_view text);

}  // namespace reprise::counting
