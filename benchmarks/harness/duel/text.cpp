// SPDX-License-Identifier: MIT
// Writes verdicts, ratios and a plot of intervals in characters.
#include "benchmarks/harness/duel/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "benchmarks/harness/duel/picture.hpp"
#include "reports/store/json.hpp"
#include "reports/text/table.hpp"

namespace reprise::duels {
namespace {

using reports::number_or_null;

using reports::pace;
using reports::paired_estimate;

constexpr double shown_error = .01;  // of the intervals that are shown

double percent(double logarithm) {
  return 100 * std::expm1(logarithm);
}

paired_estimate estimate_of(const judged_case& c) {
  return reports::centre_of(c.pairs, shown_error);
}

std::string verdict_of(const judged_case& c) {
  return c.foul.empty() ? std::string(to_string(c.verdict)) : "FAILED";
}

// What else an undecided case would take.
std::string remark_on(const judged_case& c, const reports::duel_rule& rule) {
  if (!c.foul.empty()) return c.foul;
  if (c.verdict != pace::undecided || c.pairs.empty()) return "";
  const std::size_t needed =
      std::max(reports::pairs_needed(c.pairs, rule), c.pairs.size() + c.pairs.size() / 2);
  const double seconds = c.spent * static_cast<double>(needed) / static_cast<double>(c.pairs.size());
  return fmt::format("would take about {:.0f} s: --budget {:.0f}s", seconds, std::ceil(seconds / 10) * 10);
}

// A line of characters over a range of ratios, with the interval and the mark of no difference.
std::string plot_of(const paired_estimate& e, double reach) {
  constexpr int width = 41;
  std::string line(width, ' ');
  const auto place = [&](double x) {
    return static_cast<std::size_t>(std::lround((std::clamp(x / reach, -1., 1.) + 1) / 2 * (width - 1)));
  };
  line[place(0)] = '|';
  for (std::size_t i = place(e.low); i <= place(e.high); ++i)
    if (line[i] == ' ') line[i] = '-';
  line[place(e.value)] = 'o';
  return line;
}

double reach_of(const duel_result& result) {
  double reach = .02;
  for (const judged_case& c : result.cases)
    if (!c.pairs.empty()) {
      const paired_estimate e = estimate_of(c);
      for (const double end : {e.value, e.low, e.high})
        if (std::isfinite(end)) reach = std::max(reach, std::abs(end));
    }
  return reach;
}

// The geometric mean of the cases' ratios. The cases' errors are independent.
paired_estimate mean_of(const duel_result& result) {
  double sum = 0;
  double squares = 0;
  int count = 0;
  for (const judged_case& c : result.cases) {
    if (c.pairs.empty() || !c.foul.empty()) continue;
    const paired_estimate e = estimate_of(c);
    sum += e.value;
    squares += std::pow((e.high - e.low) / 2, 2);
    ++count;
  }
  if (count == 0) return {std::nan(""), std::nan(""), std::nan("")};
  const double half = std::sqrt(squares) / count;
  return {sum / count, sum / count - half, sum / count + half};
}

std::string sides_text(const duel_result& result, const duel_request& request) {
  std::string text;
  for (std::size_t side : {0, 1}) {
    const nlohmann::json& who = result.introductions[side];
    text += fmt::format("{} = {}{}\n", side == 0 ? 'A' : 'B', request.sides[side].name,
                        who.is_null() ? ""
                                      : fmt::format(" ({} {}, {})", who.value("version", ""),
                                                    who.value("git", ""), who.value("compiler", "")));
  }
  return text;
}

std::string how_text(const duel_result& result, const duel_request& request) {
  const std::string how =
      !result.is_paired ? "UNPAIRED: whole runs took turns"
      : result.how == mode::together
          ? "both sides ran at the same time, each on a processor of its own"
          : fmt::format("the sides took turns, with {} of a processor",
                        request.threads == 1 ? "one thread" : std::to_string(request.threads) + " threads");
  const std::string queueing = result.is_paired && request.threads == 1
                                   ? "; on the host without what a side waited for a processor"
                                   : "";
  return fmt::format("{}; margin {:.3g} %; the chance of a wrong verdict is at most {:.3g} % over all cases",
                     how + queueing, percent(request.rule.margin), 100 * request.rule.error);
}

reports::table table_of(const duel_result& result, const duel_request& request) {
  reports::table t;
  t.columns = {"case", "verdict", "time of B", "plot", "bouts", "remark"};
  t.text_columns = t.columns.size();
  const double reach = reach_of(result);
  t.columns[3] = fmt::format("{:+.0f} % to {:+.0f} %", percent(-reach), percent(reach));
  for (const judged_case& c : result.cases) {
    const bool is_known = !c.pairs.empty();
    const paired_estimate e = is_known ? estimate_of(c) : paired_estimate{};
    t.lines.push_back({{case_text(c.of.what)},
                       {verdict_of(c)},
                       {is_known ? text_of_ratio(e) : ""},
                       {is_known ? plot_of(e, reach) : ""},
                       {std::to_string(c.pairs.size())},
                       {remark_on(c, request.rule)}});
  }
  return t;
}

std::string summary_of(const duel_result& result) {
  std::string text = fmt::format("geometric mean: B takes {}\n", text_of_ratio(mean_of(result)));
  for (const std::string& line : result.left_out) text += "left out: " + line + "\n";
  return text;
}

}  // namespace

std::string text_of_ratio(const paired_estimate& e) {
  if (!std::isfinite(e.low) || !std::isfinite(e.high)) return fmt::format("{:+.2f} %", percent(e.value));
  return fmt::format("{:+.2f} % [{:+.2f}, {:+.2f}]", percent(e.value), percent(e.low), percent(e.high));
}

std::string to_text(const duel_result& result, const duel_request& request) {
  std::string text = sides_text(result, request) + how_text(result, request) + "\n\n";
  for (const judged_case& c : result.cases) {
    text += fmt::format("{:<10} {:<28} {}\n", verdict_of(c),
                        c.pairs.empty() ? "" : text_of_ratio(estimate_of(c)), case_text(c.of.what));
    if (!c.pairs.empty()) text += fmt::format("{:<10} {}\n", "", plot_of(estimate_of(c), reach_of(result)));
    if (const std::string remark = remark_on(c, request.rule); !remark.empty())
      text += fmt::format("{:<10} {}\n", "", remark);
  }
  return text +
         fmt::format("\nplots reach from {:+.1f} % to {:+.1f} %\n", percent(-reach_of(result)),
                     percent(reach_of(result))) +
         summary_of(result);
}

std::string to_markdown(const duel_result& result, const duel_request& request) {
  reports::table t = table_of(result, request);
  for (auto& line : t.lines)
    if (!line[3].text.empty()) line[3].text = "`" + line[3].text + "`";
  std::string text;
  for (const std::string& part : {sides_text(result, request), how_text(result, request) + ".\n"})
    text += part + "\n";
  return text + to_markdown(t) + "\n" + summary_of(result);
}

nlohmann::json to_json(const duel_result& result, const duel_request& request) {
  nlohmann::json cases = nlohmann::json::array();
  for (const judged_case& c : result.cases) {
    nlohmann::json one = to_json(c.of.what);
    one["verdict"] = verdict_of(c);
    one["remark"] = remark_on(c, request.rule);
    one["seconds"] = c.seconds;
    one["bouts"] = c.pairs.size();
    if (!c.pairs.empty()) {
      const paired_estimate e = estimate_of(c);
      one["log_ratio"] = {number_or_null(e.value), number_or_null(e.low), number_or_null(e.high)};
    }
    cases.push_back(std::move(one));
  }
  const paired_estimate mean = mean_of(result);
  return {{"a", result.introductions[0]},
          {"b", result.introductions[1]},
          {"mode", result.is_paired ? to_string(result.how) : "unpaired"},
          {"margin", request.rule.margin},
          {"error", request.rule.error},
          {"seed", request.seed},
          {"log_mean", {number_or_null(mean.value), number_or_null(mean.low), number_or_null(mean.high)}},
          {"cases", cases},
          {"left_out", result.left_out}};
}

std::string to_svg(const duel_result& result, const duel_request& request) {
  std::vector<shown_ratio> ratios;
  for (const judged_case& c : result.cases) {
    const double unknown = std::nan("");
    ratios.push_back({case_text(c.of.what), verdict_of(c),
                      c.pairs.empty() ? paired_estimate{unknown, unknown, unknown} : estimate_of(c)});
  }
  return to_svg(ratios, request.rule.margin);
}

std::string pairs_csv(const duel_result& result) {
  std::string text = "experiment,variant,device,precision,size,parameter,metric,bout,log_ratio\n";
  for (const judged_case& c : result.cases)
    for (std::size_t i = 0; i < c.pairs.size(); ++i)
      text += fmt::format("{},{},{:.17g}\n", csv_fields(static_cast<const reports::number_id&>(c.of.what)), i,
                          c.pairs[i]);
  return text;
}

}  // namespace reprise::duels
