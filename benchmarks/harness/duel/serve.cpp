// SPDX-License-Identifier: MIT
// Keeps the standard output for answers.
#include "benchmarks/harness/duel/serve.hpp"

#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "solvers/common/base/error.hpp"

namespace reprise::duels {
namespace {

using nlohmann::json;

int own_output() {
  const int output = ::dup(STDOUT_FILENO);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  return output;
}

void send(int to, const json& what) {
  const std::string line = what.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  for (std::size_t sent = 0; sent < line.size();) {
    const auto written = ::write(to, line.data() + sent, line.size() - sent);
    if (written <= 0) throw error("the process that asked is gone");
    sent += static_cast<std::size_t>(written);
  }
}

}  // namespace

void serve(const json& introduction, const std::function<json(const json&)>& answer) {
  // What nobody waits for must not go on, perhaps for minutes under Callgrind.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int to = own_output();
  send(to, introduction);
  for (std::string line; std::getline(std::cin, line);) {
    json said;
    try {
      said = answer(json::parse(line));
    } catch (const unavailable& missing) {
      said = {{"error", missing.what()}, {"unavailable", true}};
    } catch (const std::exception& problem) {
      said = {{"error", problem.what()}};
    }
    send(to, said);
  }
}

}  // namespace reprise::duels
