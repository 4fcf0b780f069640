// SPDX-License-Identifier: MIT
// What a check of a baseline found, for people and for CI systems.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "reports/baseline.hpp"
#include "reports/run_contents.hpp"

namespace reprise::reports {
namespace {

std::string case_of(const baseline_entry& e) {
  auto text = fmt::format("{} {} {}", e.variant, e.backend, e.precision);
  for (const auto& part : {e.size, e.parameter}) {
    if (!part.empty()) text += " " + part;
  }
  return text;
}

std::string sentence(const baseline_finding& f) {
  if (f.outcome == baseline_outcome::held) return {};
  if (std::isnan(f.found)) return f.reason;
  return fmt::format("{:.6g} where the baseline has {:.6g}, allowed {:.2g}: {}", f.found, f.expected.value,
                     f.allowed, f.reason);
}

// What XML reserves, and what it cannot hold at all, which a driver's message may: control characters, and
// bytes that are no UTF-8.
std::string for_xml(std::string_view text) {
  static const std::map<char, std::string> by{
      {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&apos;"}};
  const auto valid = parse_json({}, to_text(nlohmann::json(text))).get<std::string>();
  std::string result;
  for (const char c : valid) {
    const auto found = by.find(c);
    if (found != by.end()) {
      result += found->second;
    } else {
      result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return result;
}

std::string test_case(const baseline_finding& f) {
  const auto begin =
      fmt::format(R"(    <testcase classname="{}" name="{}")", for_xml(family_of(f.expected.variant)),
                  for_xml(case_of(f.expected) + " " + f.expected.metric));
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

std::size_t count(std::span<const baseline_finding> findings, baseline_outcome outcome) {
  return static_cast<std::size_t>(std::count_if(
      findings.begin(), findings.end(), [&](const baseline_finding& f) { return f.outcome == outcome; }));
}

std::size_t regressions(std::span<const baseline_finding> findings) {
  return static_cast<std::size_t>(std::count_if(
      findings.begin(), findings.end(), [](const baseline_finding& f) { return is_regression(f.outcome); }));
}

}  // namespace

std::string to_text(std::span<const baseline_finding> findings) {
  std::string text;
  std::set<std::string> told;
  for (const auto& f : findings) {
    if (f.outcome == baseline_outcome::held || f.outcome == baseline_outcome::not_run) continue;
    if (f.outcome == baseline_outcome::wrong && !told.insert(case_of(f.expected)).second) continue;
    text += fmt::format("{:<8} {:<26} {}\n         {}\n", to_string(f.outcome), f.expected.metric,
                        case_of(f.expected), sentence(f));
  }
  std::map<std::string, std::size_t> reasons;
  for (const auto& f : findings) {
    if (f.outcome == baseline_outcome::not_run) ++reasons[f.reason];
  }
  for (const auto& [reason, times] : reasons) text += fmt::format("not run  {} numbers, {}\n", times, reason);
  using enum baseline_outcome;
  return text + fmt::format("{} held, {} better, {} worse, {} wrong, {} missing, {} not run\n",
                            count(findings, held), count(findings, better), count(findings, worse),
                            count(findings, wrong), count(findings, missing), count(findings, not_run));
}

std::string to_junit(std::span<const baseline_finding> findings) {
  std::map<std::string, std::vector<baseline_finding>> suites;
  for (const auto& f : findings) suites[std::string(family_of(f.expected.variant))].push_back(f);
  auto text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites name=\"reprise baseline\" tests=\"{}\" failures=\"{}\">\n",
      findings.size(), regressions(findings));
  for (const auto& [family, suite] : suites) {
    text += fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" skipped=\"{}\">\n",
                        for_xml(family), suite.size(), regressions(suite),
                        count(suite, baseline_outcome::not_run));
    for (const auto& f : suite) text += test_case(f);
    text += "  </testsuite>\n";
  }
  return text + "</testsuites>\n";
}

}  // namespace reprise::reports
