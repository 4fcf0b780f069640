// SPDX-License-Identifier: MIT
// Serves requests on the standard input and output.
#include "benchmarks/harness/duel/side.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/harness/build_info.hpp"
#include "benchmarks/harness/duel/meeting.hpp"
#include "benchmarks/harness/duel/protocol.hpp"
#include "benchmarks/harness/measure.hpp"
#include "benchmarks/harness/run_request.hpp"
#include "benchmarks/harness/runner.hpp"
#include "benchmarks/harness/steps.hpp"
#include "solvers/common/base/device_calls.hpp"
#include "solvers/common/base/error.hpp"

namespace reprise::duels {
namespace {

using nlohmann::json;

offered_case offered(const harness::step& s, harness::preset level) {
  const reports::row label = harness::case_row("", s.of->layout.id, s.plan, s.on);
  offered_case c{label, s.on.device.name, s.plan.repeats, s.plan.units_per_repeat, s.on.device.on_host, ""};
  c.metric = s.plan.metric;
  c.unavailable = s.on.variant == nullptr ? s.on.reason : why_not_affordable(s.plan, s.on.device, level);
  if (s.plan.is_on_ranks) c.unavailable = "runs on several ranks: compare whole runs";
  return c;
}

void require_good(const std::vector<checkers::finding>& findings) {
  if (findings.empty()) throw error("wrong answer: nothing was checked");
  for (const checkers::finding& f : findings)
    if (!f.good()) throw error("wrong answer: " + checkers::describe(f));
}

class side {
 public:
  json answer(const json& asked) {
    const auto what = asked.at("do").get<std::string>();
    if (what == "cases") return cases(asked.at("request"));
    if (what == "load") return load(asked.at("case").get<std::size_t>());
    if (what == "verify") return checked(loaded().verify());
    if (what == "run") return run(asked);
    if (what == "judge") return judge(asked.at("repeats").get<int>());
    throw bad_input("no request is called '" + what + "'");
  }

 private:
  json cases(const json& asked) {
    harness::run_request request;
    harness::restore(request, {{"request", asked}});
    steps_ = harness::steps_of(request);
    json all = json::array();
    for (const harness::step& s : steps_) all.push_back(to_json(offered(s, request.plan.level)));
    return {{"cases", all}};
  }

  json load(std::size_t which) {
    const harness::step& s = steps_.at(which);
    if (s.on.variant == nullptr) throw unavailable(s.on.reason);
    subject_.reset();
    harness::require_memory(s.plan, s.on.device);
    use(s.on.device);
    subject_ = s.plan.make(*s.on.variant, s.on.device);
    subject_->load();
    return json::object();
  }

  json run(const json& asked) {
    harness::subject& s = loaded();
    const int repeats = asked.at("repeats").get<int>();
    const int calls = asked.at("calls").get<int>();
    if (const auto meeting = asked.at("meet").get<std::uint32_t>(); meeting > 0) meet(meeting);
    return {{"seconds", harness::repeated(calls, [&] { return s.run(repeats); })}};
  }

  json judge(int repeats) {
    loaded().read_back();
    require_good(loaded().judge_timed_work(repeats));
    return checked(loaded().verify());
  }

  static json checked(const std::vector<checkers::finding>& findings) {
    require_good(findings);
    return json::object();
  }

  harness::subject& loaded() {
    if (!subject_) throw bad_input("no case is loaded");
    return *subject_;
  }

  void meet(std::uint32_t number) {
    if (!meeting_) {
      const char* const file = std::getenv(meeting_variable);
      if (file == nullptr) throw bad_input("there is no point to meet at");
      meeting_.emplace(std::atoi(file));
    }
    meeting_->meet(number);
  }

  std::vector<harness::step> steps_;
  std::unique_ptr<harness::subject> subject_;
  std::optional<meeting_point> meeting_;
};

// Keeps the standard output for answers: whatever else is printed goes to the standard error.
int own_output() {
  const int output = ::dup(STDOUT_FILENO);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  return output;
}

void send(int to, const json& what) {
  const std::string line = what.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  for (std::size_t sent = 0; sent < line.size();) {
    const auto written = ::write(to, line.data() + sent, line.size() - sent);
    if (written <= 0) throw error("the referee of the duel is gone");
    sent += static_cast<std::size_t>(written);
  }
}

}  // namespace

void serve_referee() {
  const int to = own_output();
  const harness::build_info& build = harness::this_build();
  send(to, {{"duel", protocol_version},
            {"version", build.version},
            {"git", build.git},
            {"compiler", build.compiler},
            {"flags", build.flags}});
  side own;
  for (std::string line; std::getline(std::cin, line);) {
    json answer;
    try {
      answer = own.answer(json::parse(line));
    } catch (const std::exception& problem) {
      answer = {{"error", problem.what()}};
    }
    send(to, answer);
  }
}

}  // namespace reprise::duels
