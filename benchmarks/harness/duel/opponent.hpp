// SPDX-License-Identifier: MIT
// A process that answers requests, as the one that asks sees it.
#pragma once

#include <sys/types.h>

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace reprise::duels {

// The side cannot go on: it ended, or its answer is no answer. The message says how.
class lost_side : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The side's answer is an error.
class refused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What was asked for cannot run here, which is nobody's fault.
class cannot_run : public refused {
 public:
  using refused::refused;
};

// This process's environment, with these variables in place of its own.
std::vector<std::string> environment_with(const std::map<std::string, std::string>& added);

class opponent {
 public:
  // Starts the command, whose first word is a program of PATH or its place, in this environment alone. Throws bad_input if it
  // cannot be started.
  opponent(std::vector<std::string> command, std::vector<std::string> environment);
  ~opponent();  // ends the process
  opponent(const opponent&) = delete;
  opponent& operator=(const opponent&) = delete;

  void send(const nlohmann::json& request);
  nlohmann::json receive(int seconds = 600);  // throws lost_side, refused or cannot_run
  nlohmann::json ask(const nlohmann::json& request, int seconds = 600);

  // Keeps all its threads on one processor.
  void stay_on(int processor) const;

 private:
  std::string read_line(int seconds);
  std::string how_it_ended();

  pid_t process_{};
  int input_{}, output_{}, errors_{};
  std::string unread_;
};

}  // namespace reprise::duels
