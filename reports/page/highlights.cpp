// SPDX-License-Identifier: MIT
// Chooses the three lines that summarise a report: the first three that exist of
//
//   1. wrong answers, because nothing else matters before them;
//   2. the largest measured speed-up, beside the largest that the paper printed;
//   3. the number of conclusions with each verdict;
//   4. the largest share of a measured roof, which shows how much faster the device could be at best;
//   5. the number of measurements and devices;
//   6. the number of cases that could not run.
#include "reports/page/highlights.hpp"

#include <fmt/format.h>

#include <optional>
#include <set>

#include "reports/text/table.hpp"

namespace reprise::reports {
namespace {

using line = std::optional<std::string>;

template <class Use>
void for_each_row(std::span<const paper> papers, Use use) {
  for (const auto& p : papers) {
    for (const auto& r : p.rows) use(p, r);
  }
}

std::string place_of(const shown_row& r) {
  return fmt::format("{} on {}", short_name(r.data->variant), r.device);
}

line wrong_answers(std::span<const paper> papers) {
  std::size_t count = 0;
  std::string first;
  for_each_row(papers, [&](const paper& p, const shown_row& r) {
    if (r.data->status != "failed") return;
    if (count++ == 0)
      first = fmt::format("{}: {} at {}: {}", p.word, place_of(r), r.data->size, r.data->reason);
  });
  if (count == 0) return std::nullopt;
  return fmt::format("{} {} failed for a wrong answer. {}", count, count == 1 ? "row" : "rows", first);
}

// The row with the largest value of a metric with this prefix.
struct largest {
  const paper* owner{};
  const shown_row* row{};
};

largest find_largest(std::span<const paper> papers, std::string_view metric_prefix, bool published) {
  largest best;
  for_each_row(papers, [&](const paper& p, const shown_row& r) {
    if (r.published != published || !has_value(r) || !r.data->metric.starts_with(metric_prefix)) return;
    if (best.row == nullptr || r.data->value > best.row->data->value) best = {&p, &r};
  });
  return best;
}

line best_speedup(std::span<const paper> papers) {
  const auto here = find_largest(papers, "speedup", false);
  if (here.row == nullptr) return std::nullopt;
  const auto& metric = here.row->data->metric;
  auto text = fmt::format("{}: {} at {} has a {} of {}", here.owner->word, place_of(*here.row),
                          here.row->data->size, metric, number_text(here.row->data->value));
  const auto there = find_largest(std::span(here.owner, 1), metric, true);
  if (there.row == nullptr) return text + "; the paper prints none.";
  return text + fmt::format("; the paper's largest is {} ({}).", number_text(there.row->data->value),
                            place_of(*there.row));
}

// Conclusions alone: printed numbers and a paper's arithmetic are counted apart.
line conclusion_counts(std::span<const paper> papers) {
  verdict_counts counts;
  std::size_t total = 0;
  for (const auto& p : papers) {
    for (std::size_t i = 0; i < p.judged.claims.size(); ++i) {
      if (p.judged.claims[i].kind != claim_class::conclusion) continue;
      ++counts[p.judged.judgements[i].outcome];
      ++total;
    }
  }
  if (total == 0) return "No conclusion was judged.";
  std::string text;
  for (const auto& [v, count] : counts)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, to_string(v));
  return fmt::format("Of {} conclusions: {}.", total, text);
}

line largest_share(std::span<const paper> papers) {
  const auto here = find_largest(papers, "share_of_", false);
  if (here.row == nullptr) return std::nullopt;
  return fmt::format("{}: {} at {} has a {} of {} {}.", here.owner->word, place_of(*here.row),
                     here.row->data->size, here.row->data->metric, number_text(here.row->data->value),
                     here.row->data->unit);
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

std::vector<std::string> highlights(std::span<const paper> papers) {
  constexpr std::size_t most_lines = 3;
  std::vector<std::string> lines;
  for (const auto rule :
       {wrong_answers, best_speedup, conclusion_counts, largest_share, measured, not_run_here}) {
    if (auto text = rule(papers); text && lines.size() < most_lines) lines.push_back(*std::move(text));
  }
  return lines;
}

}  // namespace reprise::reports
