// SPDX-License-Identifier: MIT
// The requests are instructions without effect, which Valgrind knows.
#include "benchmarks/harness/count/client_requests.hpp"

#ifdef REPRISE_HAS_VALGRIND
#include <valgrind/callgrind.h>
#endif

namespace reprise::counting {

#ifdef REPRISE_HAS_VALGRIND
std::string_view why_no_requests() {
  return "";
}

bool is_under_valgrind() {
  return RUNNING_ON_VALGRIND > 0;
}

void begin_counting() {
  CALLGRIND_START_INSTRUMENTATION;
  CALLGRIND_ZERO_STATS;
}

void end_counting() {
  CALLGRIND_DUMP_STATS;
  CALLGRIND_STOP_INSTRUMENTATION;
}
#else
std::string_view why_no_requests() {
  return "built without Valgrind's header: apt install valgrind, and build again";
}

bool is_under_valgrind() {
  return false;
}

void begin_counting() {}
void end_counting() {}
#endif

}  // namespace reprise::counting
