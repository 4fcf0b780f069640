// SPDX-License-Identifier: MIT
// Drivers run in our process, and some crash as soon as they are asked for their devices. Nothing can catch
// that; but the program can start once more, without them.
#pragma once

#include <signal.h>

#include <array>
#include <string>

namespace reprise {

// While an object of this type lives, of which there can be one, a crash starts the program again, with
// NAME=VALUE in its environment. For moments before the program has done anything that it cannot do twice.
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
