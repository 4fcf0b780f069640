// SPDX-License-Identifier: MIT
// A host that reports another cache size than it has.
#pragma once

#include <cstdlib>
#include <string>

namespace reprise::testing {

// The host reports this cache size while the object exists.
class made_up_cache {
 public:
  explicit made_up_cache(const std::string& size) { ::setenv("REPRISE_HOST_CACHE", size.c_str(), 1); }
  ~made_up_cache() { ::unsetenv("REPRISE_HOST_CACHE"); }
  made_up_cache(const made_up_cache&) = delete;
  made_up_cache& operator=(const made_up_cache&) = delete;
};

}  // namespace reprise::testing
