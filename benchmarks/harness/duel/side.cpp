// SPDX-License-Identifier: MIT
// Keeps the case that is loaded.
#include "benchmarks/harness/duel/side.hpp"

#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/harness/build_info.hpp"
#include "benchmarks/harness/duel/meeting.hpp"
#include "benchmarks/harness/duel/queueing.hpp"
#include "benchmarks/harness/duel/serve.hpp"
#include "benchmarks/harness/duel/served_case.hpp"
#include "benchmarks/harness/run_request.hpp"
#include "benchmarks/harness/runner.hpp"
#include "solvers/common/base/error.hpp"

namespace reprise::duels {
namespace {

using nlohmann::json;

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
    subject_.reset();  // frees the old case before the new one is made
    subject_ = duels::loaded(steps_.at(which));
    return json::object();
  }

  json run(const json& asked) {
    harness::subject& s = loaded();
    const int repeats = asked.at("repeats").get<int>();
    const int calls = asked.at("calls").get<int>();
    if (const auto meeting = asked.at("meet").get<std::uint32_t>(); meeting > 0) meet(meeting);
    const auto before = seconds_queued();
    json said{{"seconds", harness::repeated(calls, [&] { return s.run(repeats); })}};
    const auto after = seconds_queued();
    if (before && after) said["queued"] = *after - *before;
    return said;
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

}  // namespace

void serve_referee() {
  const harness::build_info& build = harness::this_build();
  side own;
  serve({{"duel", protocol_version},
         {"version", build.version},
         {"git", build.git},
         {"compiler", build.compiler},
         {"flags", build.flags}},
        [&](const json& asked) { return own.answer(asked); });
}

}  // namespace reprise::duels
