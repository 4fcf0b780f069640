// SPDX-License-Identifier: MIT
// Chooses the lines that summarise a report: wrong answers, because nothing else matters before them, and the decided
// headlines of each paper, which are statements that were judged. A report without any tells how much it holds.
#include "reports/page/highlights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <ranges>
#include <set>

#include "reports/text/table.hpp"

namespace reprise::reports {
namespace {

template <class Use>
void for_each_row(std::span<const paper> papers, Use use) {
  for (const auto& p : papers) {
    for (const auto& r : p.rows) use(p, r);
  }
}

std::string place_of(const shown_row& r) {
  return fmt::format("{} on {}", r.variant, r.device);
}

std::optional<std::string> wrong_answers(std::span<const paper> papers) {
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

std::string deciding_number(const claim& c, const judgement& j) {
  if (std::isnan(j.measured.value)) return {};
  auto text = number_text(j.measured.value, c.unit);
  if (!std::isnan(c.published)) text += fmt::format("; the paper: {}", number_text(c.published));
  return fmt::format(" ({})", text);
}

// The first decided headlines of a paper, in the order in which the paper's page has them.
std::vector<std::string> decided_headlines(const paper& p) {
  constexpr long most_lines = 3;
  const auto is_decided = [&](std::size_t i) { return p.judged.judgements[i].outcome != verdict::undecided; };
  const auto order = headlines_of(p.judged);
  std::vector<std::string> lines;
  for (const auto i : order | std::views::filter(is_decided) | std::views::take(most_lines)) {
    const auto& c = p.judged.claims[i];
    const auto& j = p.judged.judgements[i];
    lines.push_back(fmt::format("{}, {}: {}{}", p.word, to_string(j.outcome), c.text, deciding_number(c, j)));
  }
  return lines;
}

// Conclusions alone: printed numbers and a paper's arithmetic are counted apart.
std::string conclusion_counts(std::span<const paper> papers) {
  verdict_counts counts;
  std::size_t total = 0;
  for (const auto& p : papers) {
    for (const auto& [v, count] : counts_of(p.judged, claim_class::conclusion)) {
      counts[v] += count;
      total += count;
    }
  }
  if (total == 0) return "No conclusion was judged.";
  return fmt::format("Of {} conclusions: {}.", total, in_words(counts));
}

std::string measured(std::span<const paper> papers) {
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

std::string not_run_here(std::span<const paper> papers) {
  std::size_t count = 0;
  for (const auto& p : papers) count += p.missing.size();
  return fmt::format("Variants without a number, each with its reason: {}.", count);
}

}  // namespace

std::vector<std::string> highlights(std::span<const paper> papers) {
  std::vector<std::string> lines;
  const auto add = [&](std::string text) { lines.push_back(std::move(text)); };
  for (const auto& p : papers) std::ranges::for_each(decided_headlines(p), add);
  if (lines.empty()) {
    for (const auto rule : {conclusion_counts, measured, not_run_here}) add(rule(papers));
  }
  if (auto text = wrong_answers(papers)) lines.insert(lines.begin(), *std::move(text));
  return lines;
}

}  // namespace reprise::reports
