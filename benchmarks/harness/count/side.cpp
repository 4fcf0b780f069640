// SPDX-License-Identifier: MIT
// Takes the emulation for every CUDA variant, and counts one timed call.
#include "benchmarks/harness/count/side.hpp"

#include <gnu/libc-version.h>

#include <algorithm>
#include <memory>
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
#include "benchmarks/harness/run_request.hpp"
#include "benchmarks/harness/runner.hpp"
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
harness::target place_of(const harness::step& s) {
  switch (needs_of(s.plan.variant)) {
    case backend::cuda:
      return harness::targets_of(s.plan.variant, "emulated", true).front();
    case backend::opencl:
    case backend::opengl:
      return {nullptr, {}, "its kernels are compiled by a driver when it runs: not counted"};
    default:
      return s.on;
  }
}

json to_json(const processor_counts& c) {
  if (!c.missing.empty()) return {{"missing", c.missing}};
  return {{"instructions", c.instructions}, {"branches", c.branches}, {"cache_misses", c.cache_misses}};
}

class side {
 public:
  json answer(const json& asked) {
    const auto what = asked.at("do").get<std::string>();
    if (what == "cases") return cases(asked.at("request"));
    if (what == "load") return load(asked.at("case").get<std::size_t>());
    if (what == "verify") return checked(loaded().verify());
    if (what == "count") return count(asked.at("repeats").get<int>());
    if (what == "judge") return judge(asked.at("repeats").get<int>());
    if (what == "kernels") return kernels();
    throw bad_input("no request is called '" + what + "'");
  }

 private:
  json cases(const json& asked) {
    harness::run_request request;
    harness::restore(request, {{"request", asked}});
    steps_ = harness::steps_of(request);
    json all = json::array();
    for (harness::step& s : steps_) {
      s.on = place_of(s);
      all.push_back(duels::to_json(duels::offered(s, request.plan.level)));
      // A search or a ladder makes many solves of other cases.
      const bool has_own_work = s.plan.metric != "time_search" && s.plan.metric != "time_ladder";
      all.back()["seconds"] =
          s.on.variant != nullptr && s.plan.expected_seconds ? s.plan.expected_seconds(s.on.device) : 0;
      all.back()["has_own_work"] = has_own_work;
    }
    return {{"cases", all}};
  }

  json load(std::size_t which) {
    subject_.reset();  // frees the old case before the new one is made
    subject_ = duels::loaded(steps_.at(which));
    is_emulated_ = steps_.at(which).on.device.kind == backend::emulated;
    return json::object();
  }

  // The first call may allocate what later ones use again.
  json count(int repeats) {
    harness::subject& s = loaded();
    s.run(repeats);
    const cuda::traffic before = cuda::traffic_so_far();
    processor_counters own;
    begin_counting();
    own.start();
    s.run(repeats);
    const processor_counts by_processor = own.stop();
    end_counting();
    const cuda::traffic after = cuda::traffic_so_far();
    json said{{"processor", to_json(by_processor)}, {"level", processor_level()}};
    if (is_emulated_)
      said["traffic"] = {{"launches", after.launches - before.launches},
                         {"bytes_to_device", after.bytes_to_device - before.bytes_to_device},
                         {"bytes_to_host", after.bytes_to_host - before.bytes_to_host},
                         {"bytes_on_device", after.bytes_on_device - before.bytes_on_device}};
    return said;
  }

  json judge(int repeats) {
    loaded().read_back();
    return checked(loaded().judge_timed_work(repeats));
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

  static json checked(const std::vector<checkers::finding>& findings) {
    duels::require_good(findings);
    return json::object();
  }

  harness::subject& loaded() {
    if (!subject_) throw bad_input("no case is loaded");
    return *subject_;
  }

  std::vector<harness::step> steps_;
  std::unique_ptr<harness::subject> subject_;
  bool is_emulated_{};
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
