// SPDX-License-Identifier: MIT
// Restarts the program when a driver ends it. Drivers run in our process, and some crash, abort or exit when asked for
// their devices. No exception handler can catch that, but the program can start again without them.
#pragma once

#include <signal.h>

#include <array>
#include <string>

namespace reprise {

// While an object of this type lives, a crash, abort() or exit() restarts the program with NAME=VALUE added to its
// environment.
// Only one may live at a time. Use it only before the program has done anything that must not happen twice.
class restart_on_crash {
 public:
  restart_on_crash(const std::string& name, const std::string& value);
  restart_on_crash(const restart_on_crash&) = delete;
  restart_on_crash& operator=(const restart_on_crash&) = delete;
  ~restart_on_crash();

 private:
  static constexpr std::array crashes{SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
  std::array<struct sigaction, crashes.size()> before_{};
};

}  // namespace reprise
