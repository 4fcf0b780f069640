// SPDX-License-Identifier: MIT
// A process that plays one side of a duel, as its referee sees it.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>

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

class opponent {
 public:
  // Starts the program with these variables added to its environment.
  opponent(const std::filesystem::path& program, const std::map<std::string, std::string>& environment);
  ~opponent();  // ends the process
  opponent(const opponent&) = delete;
  opponent& operator=(const opponent&) = delete;

  void send(const nlohmann::json& request);
  nlohmann::json receive();  // throws lost_side or refused
  nlohmann::json ask(const nlohmann::json& request);

  // Keeps all its threads on one processor.
  void stay_on(int processor) const;

 private:
  std::string read_line();
  std::string how_it_ended();

  pid_t process_{};
  int input_{}, output_{}, errors_{};
  std::string unread_;
};

}  // namespace reprise::duels
