// SPDX-License-Identifier: MIT
// Prints the results of a baseline check for people and for CI systems.
#include "reports/accuracy/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "reports/store/json.hpp"

namespace reprise::reports {
namespace {

std::string sentence(const baseline_result& f) {
  if (f.outcome == baseline_outcome::held) return {};
  if (std::isnan(f.actual) && f.outcome != baseline_outcome::worse) return f.reason;
  return fmt::format("{:.6g} where the baseline has {:.6g}, allowed {:.2g}: {}", f.actual, f.expected.value,
                     f.allowed, f.reason);
}

// Escapes XML's reserved characters. Also replaces control characters and invalid UTF-8, which XML cannot
// contain but a driver's message may.
std::string for_xml(std::string_view text) {
  static const std::map<char, std::string> by{
      {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&apos;"}};
  const auto valid = parse_json({}, to_text(nlohmann::json(text))).get<std::string>();
  std::string result;
  for (const char c : valid) {
    const auto escape = by.find(c);
    if (escape != by.end()) {
      result += escape->second;
    } else {
      result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return result;
}

// Seconds that the cases of a run took, by their case without experiment and with the device's backend only.
using seconds_by_case = std::map<case_id, double>;

seconds_by_case seconds_of(const run& checked) {
  seconds_by_case seconds;
  for (const auto& r : checked.rows) {
    if (r.metric != "time_to_solution" || r.status != "ok") continue;
    auto of = without_experiment(r);
    of.device = r.device.substr(0, r.device.find(':'));
    seconds[of] = r.value;
  }
  return seconds;
}

std::string test_case(const baseline_result& f, const junit_source& from, const seconds_by_case& seconds) {
  const auto of = without_experiment(f.expected);
  const auto took = seconds.find(of);
  const auto begin =
      fmt::format(R"(    <testcase classname="{}" name="{}" file="{}" time="{:.6g}")",
                  for_xml(f.expected.variant), for_xml(case_text(of) + " " + f.expected.metric),
                  for_xml(from.baseline.string()), took == seconds.end() ? 0 : took->second);
  if (is_regression(f.outcome)) {
    return fmt::format("{}>\n      <failure type=\"{}\" message=\"{}\"/>\n    </testcase>\n", begin,
                       to_string(f.outcome), for_xml(sentence(f)));
  }
  if (f.outcome == baseline_outcome::not_run) {
    return fmt::format("{}>\n      <skipped message=\"{}\"/>\n    </testcase>\n", begin,
                       for_xml(sentence(f)));
  }
  return begin + "/>\n";
}

std::size_t count(std::span<const baseline_result> results, baseline_outcome outcome) {
  return static_cast<std::size_t>(
      std::ranges::count_if(results, [&](const baseline_result& f) { return f.outcome == outcome; }));
}

std::size_t regressions(std::span<const baseline_result> results) {
  return static_cast<std::size_t>(
      std::ranges::count_if(results, [](const baseline_result& f) { return is_regression(f.outcome); }));
}

}  // namespace

std::string to_text(std::span<const baseline_result> results) {
  std::string text;
  for (const auto& f : results) {
    if (f.outcome == baseline_outcome::held || f.outcome == baseline_outcome::not_run) continue;
    text += fmt::format("{:<8} {:<26} {}\n         {}\n", to_string(f.outcome), f.expected.metric,
                        case_text(without_experiment(f.expected)), sentence(f));
  }
  std::map<std::string, std::size_t> reasons;
  for (const auto& f : results) {
    if (f.outcome == baseline_outcome::not_run) ++reasons[f.reason];
  }
  for (const auto& [reason, times] : reasons) text += fmt::format("not run  {} numbers, {}\n", times, reason);
  using enum baseline_outcome;
  return text + fmt::format("{} held, {} better, {} worse, {} wrong, {} missing, {} not run\n",
                            count(results, held), count(results, better), count(results, worse),
                            count(results, wrong), count(results, missing), count(results, not_run));
}

std::string to_junit(std::span<const baseline_result> results, const junit_source& from) {
  std::map<std::string, std::vector<baseline_result>> suites;
  for (const auto& f : results) suites[f.expected.variant].push_back(f);
  const auto seconds = seconds_of(from.checked);
  auto text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites name=\"reprise baseline\" tests=\"{}\" failures=\"{}\">\n",
      results.size(), regressions(results));
  for (const auto& [variant, suite] : suites) {
    text += fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" skipped=\"{}\">\n",
                        for_xml(variant), suite.size(), regressions(suite),
                        count(suite, baseline_outcome::not_run));
    for (const auto& f : suite) text += test_case(f, from, seconds);
    text += "  </testsuite>\n";
  }
  return text + "</testsuites>\n";
}

}  // namespace reprise::reports
