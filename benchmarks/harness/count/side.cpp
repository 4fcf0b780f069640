// SPDX-License-Identifier: MIT
// Takes the emulation for every CUDA variant, and counts one timed call.
#include "benchmarks/harness/count/side.hpp"

#include <gnu/libc-version.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "benchmarks/harness/build_info.hpp"
#include "benchmarks/harness/count/client_requests.hpp"
#include "benchmarks/harness/count/processor_counters.hpp"
#include "benchmarks/harness/count/processor_level.hpp"
#include "benchmarks/harness/count/protocol.hpp"
#include "benchmarks/harness/duel/serve.hpp"
#include "benchmarks/harness/duel/served_case.hpp"
#include "solvers/common/base/error.hpp"
#include "solvers/common/base/kernel_needs.hpp"
#include "solvers/common/emulation/traffic.hpp"

namespace reprise::counting {
namespace {

using nlohmann::json;

backend needs_of(std::string_view variant) {
  const auto found = std::ranges::find(manifest(), variant, &manifest_entry::id);
  return found == manifest().end() ? backend::cpu : found->needs;
}

// Where the step's variant is counted.
void place(harness::step& s) {
  switch (needs_of(s.plan.variant)) {
    case backend::cuda:
      s.on = harness::targets_of(s.plan.variant, "emulated", true).front();
      break;
    case backend::opencl:
    case backend::opengl:
      s.on = {nullptr, {}, "its kernels are compiled by a driver when it runs: not counted"};
      break;
    default:
      break;
  }
}

// A search or a ladder makes many solves, which are other cases.
void describe(const harness::step& s, json& offer) {
  offer["seconds"] =
      s.on.variant != nullptr && s.plan.expected_seconds ? s.plan.expected_seconds(s.on.device) : 0;
  offer["has_own_work"] = s.plan.metric != "time_search" && s.plan.metric != "time_ladder";
}

json to_json(const processor_counts& c) {
  if (!c.missing.empty()) return {{"missing", c.missing}};
  return {{"instructions", c.instructions}, {"branches", c.branches}, {"cache_misses", c.cache_misses}};
}

class side {
 public:
  json answer(const json& asked) {
    if (auto common = cases_.answer(asked)) return *std::move(common);
    const auto what = asked.at("do").get<std::string>();
    if (what == "count") return count(asked.at("repeats").get<int>());
    if (what == "kernels") return kernels();
    throw bad_input("no request is called '" + what + "'");
  }

 private:
  // The first call may allocate what later ones use again.
  json count(int repeats) {
    harness::subject& s = cases_.loaded();
    s.run(repeats);
    const cuda::traffic before = cuda::traffic_so_far();
    processor_counters own;
    own.start();
    begin_counting();
    s.run(repeats);
    end_counting();
    const processor_counts by_processor = own.stop();
    const cuda::traffic after = cuda::traffic_so_far();
    json said{{"processor", to_json(by_processor)}, {"level", processor_level()}};
    if (cases_.step().on.device.kind == backend::emulated)
      said["traffic"] = {{"launches", after.launches - before.launches},
                         {"bytes_to_device", after.bytes_to_device - before.bytes_to_device},
                         {"bytes_to_host", after.bytes_to_host - before.bytes_to_host},
                         {"bytes_on_device", after.bytes_on_device - before.bytes_on_device}};
    return said;
  }

  static json kernels() {
    json all = json::array();
    for (const kernel_need& k : needs_of_kernels())
      all.push_back({{"architecture", k.architecture},
                     {"name", k.name},
                     {"registers", k.registers},
                     {"spilled", k.local_bytes},
                     {"shared", k.shared_bytes}});
    return {{"kernels", all}};
  }

  duels::served_cases cases_{place, describe};
};

}  // namespace

void serve_counter() {
  const harness::build_info& build = harness::this_build();
  side own;
  duels::serve({{"count", protocol_version},
                {"version", build.version},
                {"git", build.git},
                {"compiler", build.compiler},
                {"flags", build.flags},
                {"build_type", build.build_type},
                {"cuda", build.cuda},
                {"c_library", std::string("glibc ") + ::gnu_get_libc_version()},
                {"no_requests", why_no_requests()}},
               [&](const json& asked) { return own.answer(asked); });
}

}  // namespace reprise::counting
