// SPDX-License-Identifier: MIT
// Times what is asked for, and says what it waited for a processor.
#include "benchmarks/harness/duel/side.hpp"

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "benchmarks/harness/build_info.hpp"
#include "benchmarks/harness/duel/meeting.hpp"
#include "benchmarks/harness/duel/serve.hpp"
#include "benchmarks/harness/duel/served_case.hpp"
#include "benchmarks/harness/scheduling.hpp"
#include "solvers/common/base/error.hpp"

namespace reprise::duels {
namespace {

using nlohmann::json;

class side {
 public:
  json answer(const json& asked) {
    if (auto common = cases_.answer(asked)) return *std::move(common);
    const auto what = asked.at("do").get<std::string>();
    if (what == "run") return run(asked);
    throw bad_input("no request is called '" + what + "'");
  }

 private:
  json run(const json& asked) {
    harness::subject& s = cases_.loaded();
    const int repeats = asked.at("repeats").get<int>();
    const int calls = asked.at("calls").get<int>();
    if (const auto meeting = asked.at("meet").get<std::uint32_t>(); meeting > 0) meet(meeting);
    const auto before = harness::seconds_queued();
    json said{{"seconds", harness::repeated(calls, [&] { return s.run(repeats); })}};
    const auto after = harness::seconds_queued();
    if (before && after) said["queued"] = *after - *before;
    return said;
  }

  void meet(std::uint32_t number) {
    if (!meeting_) {
      const char* const file = std::getenv(meeting_variable);
      if (file == nullptr) throw bad_input("there is no point to meet at");
      meeting_.emplace(std::atoi(file));
    }
    meeting_->meet(number);
  }

  served_cases cases_;
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
