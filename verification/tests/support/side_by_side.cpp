// SPDX-License-Identifier: MIT
// Tests run side by side and disturb each other. Runs that they make, also in programs that they start, only note it.
#include <catch2/reporters/catch_reporter_event_listener.hpp>
#include <catch2/reporters/catch_reporter_registrars.hpp>
#include <cstdlib>

namespace {

class noting final : public Catch::EventListenerBase {
 public:
  using Catch::EventListenerBase::EventListenerBase;
  void testRunStarting(const Catch::TestRunInfo&) override { setenv("REPRISE_DISTURBANCE", "noted", 0); }
};

}  // namespace

CATCH_REGISTER_LISTENER(noting)
