// SPDX-License-Identifier: MIT
// Chooses the three most telling lines of a report. The first three that exist, of:
//   1. wrong answers, if there are any: nothing else matters before them;
//   2. the largest measured speed-up, beside the largest that the paper printed;
//   3. how many claims got which verdict;
//   4. the largest share of a measured roof: how much faster the device could be at best;
//   5. how much was measured on how many devices;
//   6. how many cases could not run.
#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>

#include "reports/paper.hpp"
#include "reports/pivot.hpp"

namespace reprise::reports {
namespace {

using line = std::optional<std::string>;

template <class Use>
void for_each_row(std::span<const paper> papers, Use use) {
  for (const auto& p : papers) {
    for (const auto& r : p.rows) use(p, r);
  }
}

std::string where(const shown_row& r) {
  return fmt::format("{} on {}", short_name(r.data->variant), r.device);
}

std::string number(double value) {
  return to_text(cell{value, "", false});
}

line wrong_answers(std::span<const paper> papers) {
  std::size_t count = 0;
  std::string first;
  for_each_row(papers, [&](const paper& p, const shown_row& r) {
    if (r.data->status != "failed") return;
    if (count++ == 0) first = fmt::format("{}: {} at {}: {}", p.word, where(r), r.data->size, r.data->reason);
  });
  if (count == 0) return std::nullopt;
  return fmt::format("{} {} failed for a wrong answer. {}", count, count == 1 ? "row" : "rows", first);
}

// The row with the largest value of a metric that begins like this.
struct largest {
  const paper* of{};
  const shown_row* at{};
};

largest find_largest(std::span<const paper> papers, std::string_view metric_prefix, bool published) {
  largest found;
  for_each_row(papers, [&](const paper& p, const shown_row& r) {
    if (r.published != published || !has_value(r) || !r.data->metric.starts_with(metric_prefix)) return;
    if (found.at == nullptr || r.data->value > found.at->data->value) found = {&p, &r};
  });
  return found;
}

line best_speedup(std::span<const paper> papers) {
  const auto here = find_largest(papers, "speedup", false);
  if (here.at == nullptr) return std::nullopt;
  const auto& metric = here.at->data->metric;
  auto text = fmt::format("{}: {} at {} has a {} of {}", here.of->word, where(*here.at), here.at->data->size,
                          metric, number(here.at->data->value));
  const auto there = find_largest(std::span(here.of, 1), metric, true);
  if (there.at == nullptr) return text + "; the paper prints none.";
  return text +
         fmt::format("; the paper's largest is {} ({}).", number(there.at->data->value), where(*there.at));
}

line verdict_counts(std::span<const paper> papers) {
  std::map<verdict, std::size_t> counts;
  std::size_t total = 0;
  for (const auto& p : papers) {
    for (const auto& [v, count] : count_verdicts(p.judged.judgements)) counts[v] += count;
    total += p.judged.judgements.size();
  }
  if (total == 0) return "No claim was judged.";
  std::string text;
  for (const auto& [v, count] : counts) {
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, to_string(v));
  }
  return fmt::format("Of {} claims: {}.", total, text);
}

line largest_share(std::span<const paper> papers) {
  const auto here = find_largest(papers, "share_of_", false);
  if (here.at == nullptr) return std::nullopt;
  return fmt::format("{}: {} at {} has a {} of {} {}.", here.of->word, where(*here.at), here.at->data->size,
                     here.at->data->metric, number(here.at->data->value), here.at->data->unit);
}

line measured(std::span<const paper> papers) {
  std::size_t count = 0;
  std::set<std::string> devices;
  for_each_row(papers, [&](const paper&, const shown_row& r) {
    if (r.published || !has_value(r)) return;
    ++count;
    devices.insert(r.device);
  });
  return fmt::format("Numbers measured: {}, on {} {}.", count, devices.size(),
                     devices.size() == 1 ? "device" : "devices");
}

line not_run_here(std::span<const paper> papers) {
  std::size_t count = 0;
  for (const auto& p : papers) count += p.missing.size();
  return fmt::format("Variants without a number, each with its reason: {}.", count);
}

}  // namespace

std::vector<std::string> telling_lines(std::span<const paper> papers) {
  constexpr std::size_t wanted = 3;
  std::vector<std::string> lines;
  for (const auto rule :
       {wrong_answers, best_speedup, verdict_counts, largest_share, measured, not_run_here}) {
    if (auto text = rule(papers); text && lines.size() < wanted) lines.push_back(*std::move(text));
  }
  return lines;
}

}  // namespace reprise::reports
