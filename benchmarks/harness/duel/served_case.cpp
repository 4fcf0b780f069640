// SPDX-License-Identifier: MIT
// Makes offers of steps, and subjects.
#include "benchmarks/harness/duel/served_case.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "benchmarks/harness/measure.hpp"
#include "benchmarks/harness/run_request.hpp"
#include "benchmarks/harness/runner.hpp"
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

json checked(const std::vector<checkers::finding>& findings) {
  if (findings.empty()) throw error("wrong answer: nothing was checked");
  for (const checkers::finding& f : findings)
    if (!f.good()) throw error("wrong answer: " + checkers::describe(f));
  return json::object();
}

}  // namespace

served_cases::served_cases(placing place, describing describe)
    : place_(std::move(place)), describe_(std::move(describe)) {}

std::optional<json> served_cases::answer(const json& asked) {
  const auto what = asked.at("do").get<std::string>();
  if (what == "cases") return offer(asked.at("request"));
  if (what == "load") {
    load(asked.at("case").get<std::size_t>());
    return json::object();
  }
  if (what == "verify") return checked(loaded().verify());
  if (what != "judge") return {};
  loaded().read_back();
  checked(loaded().judge_timed_work(asked.at("repeats").get<int>()));
  return checked(loaded().verify());
}

harness::subject& served_cases::loaded() {
  if (!subject_) throw bad_input("no case is loaded");
  return *subject_;
}

const harness::step& served_cases::step() const {
  if (!subject_) throw bad_input("no case is loaded");
  return steps_[which_];
}

json served_cases::offer(const json& asked) {
  harness::run_request request;
  harness::restore(request, {{"request", asked}});
  subject_.reset();
  earlier_.clear();
  steps_ = harness::steps_of(request);
  json all = json::array();
  for (harness::step& s : steps_) {
    if (place_) place_(s);
    all.push_back(to_json(offered(s, request.plan.level)));
    if (describe_) describe_(s, all.back());
  }
  return {{"cases", all}};
}

// A case that is freed first would get the same memory again. A GPU's memory holds some small ones beside each other.
void served_cases::keep_apart_from(const harness::step& next) {
  constexpr std::size_t most_kept = 4;
  const bool is_small = next.plan.footprint_bytes < next.on.device.memory_bytes / 32;
  if (subject_ && !next.on.device.on_host && is_small) earlier_.push_back(std::move(subject_));
  subject_.reset();
  if (!is_small) earlier_.clear();
  if (earlier_.size() > most_kept) earlier_.erase(earlier_.begin());
}

void served_cases::load(std::size_t which) {
  const harness::step& s = steps_.at(which);
  if (s.on.variant == nullptr) throw unavailable(s.on.reason);
  keep_apart_from(s);
  harness::require_memory(s.plan, s.on.device);
  use(s.on.device);
  auto subject = s.plan.make(*s.on.variant, s.on.device);
  subject->load();
  which_ = which;
  subject_ = std::move(subject);
}

}  // namespace reprise::duels
