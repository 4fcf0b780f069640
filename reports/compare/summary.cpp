// SPDX-License-Identifier: MIT
// Makes the summary of a comparison.
#include "reports/compare/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>

#include "reports/text/digits.hpp"
#include "reports/text/table.hpp"
#include "reports/text/wrapped.hpp"

namespace reprise::reports {
namespace {

constexpr std::size_t most_disputed = 3;
constexpr std::size_t longest_dispute = 150;  // two lines

using lines = std::vector<const compared_line*>;

lines lines_of(const compared_table& t) {
  lines all;
  for (const auto& l : t.lines) all.push_back(&l);
  return all;
}

// The items of the comparison that have a number in one of these lines.
std::set<std::size_t> owners_of(const lines& of, std::span<const device_column> columns) {
  std::set<std::size_t> owners;
  for (const auto* l : of) owners.merge(owners_of(*l, columns));
  return owners;
}

double longest(const lines& of) {
  double seconds = 0;
  for (const auto* l : of)
    for (const auto& c : l->cells)
      if (c.value > seconds) seconds = c.value;
  return seconds;
}

// The case by which to compare the best variants: one that as many items as possible have, preferably the paper's
// main case, otherwise the longest.
lines case_of(const main_case& paper, const lines& times, std::span<const device_column> columns) {
  std::unordered_map<number_id, lines> cases;  // the variants of each
  for (const auto* l : times) {
    number_id id = *l;
    id.variant.clear();
    cases[id].push_back(l);
  }
  using merit = std::tuple<std::size_t, bool, double, std::string>;  // the last only makes it unique
  std::optional<merit> highest;
  lines chosen;
  for (const auto& [id, variants] : cases) {
    merit own{owners_of(variants, columns).size(), paper.is(id), longest(variants), case_text(id)};
    if (highest && own <= *highest) continue;
    highest = std::move(own);
    chosen = variants;
  }
  return chosen;
}

std::string title_of(const main_case& paper, const number_id& chosen) {
  std::string title = paper.title;
  if (!paper.is(chosen)) {
    std::string work = chosen.metric.str().substr(chosen.metric.starts_with("time_") ? 5 : 0);
    std::ranges::replace(work, '_', ' ');
    title = fmt::format("{} of {}", work, chosen.size);
    if (!chosen.parameter.empty()) title += ", " + chosen.parameter;
  }
  return chosen.precision.empty() ? title : fmt::format("{}, {} precision", title, chosen.precision);
}

std::vector<best_variant> best_of(const lines& variants, std::size_t columns) {
  std::vector<best_variant> best;
  for (std::size_t i = 0; i < columns; ++i) {
    const compared_line* fastest = nullptr;
    for (const auto* l : variants) {
      if (std::isnan(l->cells[i].value)) continue;
      if (fastest == nullptr || l->cells[i].value < fastest->cells[i].value) fastest = l;
    }
    if (fastest != nullptr) best.push_back({i, fastest->variant, fastest->cells[i]});
  }
  return best;
}

// The columns with times of the paper, but none of the case.
std::vector<std::size_t> columns_without(const lines& times, const std::vector<best_variant>& best,
                                         std::size_t columns) {
  std::vector<std::size_t> without;
  for (std::size_t i = 0; i < columns; ++i) {
    const bool has_case = std::ranges::find(best, i, &best_variant::column) != best.end();
    const auto has_time = [i](const auto* l) { return !std::isnan(l->cells[i].value); };
    if (!has_case && std::ranges::any_of(times, has_time)) without.push_back(i);
  }
  return without;
}

void add_claims(paper_summary& to, std::span<const compared_claim> claims) {
  for (const auto& claim : claims) {
    if (claim.family != to.word) continue;
    std::set<verdict> decided;
    for (std::size_t i = 0; i < claim.outcomes.size(); ++i) {
      if (claim.outcomes[i] == verdict::undecided) continue;
      decided.insert(claim.outcomes[i]);
      ++to.verdicts[i][claim.outcomes[i]];
    }
    if (decided.size() > 1) to.disputed.push_back(&claim);
  }
}

// A verdict in few letters.
std::string_view brief(verdict v) {
  if (v == verdict::holds) return "hold";
  if (v == verdict::holds_in_part) return "in part";
  return v == verdict::never_did ? "never" : to_string(v);
}

std::string verdicts_text(const std::map<verdict, std::size_t>& counts) {
  std::string text;
  for (const auto& [v, count] : counts)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, brief(v));
  return text.empty() ? no_number : text;
}

// Three significant digits without an exponent.
std::string short_number(double value) {
  if (value < 999.5) return fmt::format("{:.3g}", value);
  const double unit = std::pow(10, std::floor(std::log10(value)) - 2);
  return fmt::format("{:.0f}", std::round(value / unit) * unit);
}

std::string energy_text(const compared_cell& c) {
  return std::isnan(c.per_joule) ? no_number : short_number(1 / c.per_joule);
}

std::string share_text(const compared_cell& c) {
  return std::isnan(c.share) ? no_number : fmt::format("{:.0f} % {}", c.share, c.roof);
}

constexpr std::size_t roof_width = 19;  // "100 % multiply-adds"

// Cuts a text that would not fit into its column.
std::string fitting(const std::string& text, std::size_t width) {
  return text.size() <= width ? text : text.substr(0, width - 3) + "...";
}

// Pads by characters, because the dash of a missing number has three bytes.
std::string padded(const std::string& text, std::size_t wanted) {
  const auto shown = width(text);
  return text + std::string(shown < wanted ? wanted - shown : 0, ' ');
}

std::string best_text(const paper_summary& paper, std::span<const device_column> columns) {
  std::string text = fmt::format("  {} {} {} {} {}\n", padded("device", 24), padded("best variant", 18),
                                 padded("time", 9), padded("of roof", roof_width), "J");
  for (const auto& b : paper.best)
    text += fmt::format("  {} {} {} {} {}\n", padded(fitting(columns[b.column].label, 24), 24),
                        padded(fitting(std::string(short_name(b.variant)), 18), 18),
                        padded(seconds_text(b.cell.value), 9), padded(share_text(b.cell), roof_width),
                        energy_text(b.cell));
  for (const auto i : paper.without) text += fmt::format("  {} has no time of this case\n", columns[i].label);
  return text;
}

std::string conclusions_text(const paper_summary& paper, std::span<const device_column> columns) {
  std::vector<std::string> parts;
  for (const auto& [column, counts] : paper.verdicts)
    parts.push_back(columns[column].label + ": " + verdicts_text(counts));
  return parts.empty() ? "" : fmt::format("  conclusions: {}\n", fmt::join(parts, "; "));
}

std::string speed_text(const relative_speed& s, std::span<const device_column> columns) {
  const auto &faster = columns[s.faster], &slower = columns[s.slower];
  auto text =
      fmt::format("  {} is {} times as fast as {}", faster.label, short_number(s.times), slower.label);
  text += s.cases == 1 ? ", by 1 case"
                       : fmt::format(": geometric mean of {} cases, from {} to {}", s.cases,
                                     short_number(s.least), short_number(s.most));
  return text + (faster.board == slower.board ? "; one board, so this may be noise\n" : "\n");
}

std::string disputed_text(const paper_summary& paper, std::span<const device_column> columns) {
  std::string text;
  for (std::size_t i = 0; i < std::min(paper.disputed.size(), most_disputed); ++i) {
    const auto& claim = *paper.disputed[i];
    std::map<verdict, std::vector<std::string>> devices;
    for (std::size_t k = 0; k < claim.outcomes.size(); ++k)
      if (claim.outcomes[k] != verdict::undecided) devices[claim.outcomes[k]].push_back(columns[k].label);
    std::vector<std::string> parts;
    for (const auto& [v, labels] : devices)
      parts.push_back(fmt::format("{} on {}", to_string(v), fmt::join(labels, ", ")));
    text +=
        fitting(fmt::format("  differs: {}: {}", claim.id, fmt::join(parts, "; ")), longest_dispute) + '\n';
  }
  if (paper.disputed.size() > most_disputed)
    text += fmt::format("  and {} more conclusions differ\n", paper.disputed.size() - most_disputed);
  return text;
}

}  // namespace

std::vector<paper_summary> summarise(std::span<const compared_table> all_times,
                                     std::span<const device_column> columns,
                                     std::span<const compared_claim> claims,
                                     std::span<const main_case> main_cases) {
  std::vector<paper_summary> papers;
  for (const auto& paper : main_cases) {
    const auto at = std::ranges::find(all_times, paper.id, &compared_table::id);
    if (at == all_times.end()) continue;
    const auto times = lines_of(*at);
    if (owners_of(*at, columns).size() < 2) continue;
    const auto variants = case_of(paper, times, columns);
    auto& s = papers.emplace_back();
    s.word = paper.id;
    s.title = title_of(paper, *variants.front());
    s.best = best_of(variants, columns.size());
    s.without = columns_without(times, s.best, columns.size());
    s.speeds = speeds_of(*at, columns);
    add_claims(s, claims);
  }
  return papers;
}

std::string to_text(std::span<const paper_summary> papers, std::span<const device_column> columns) {
  std::string text;
  for (const auto& paper : papers) {
    text += fmt::format("{}: {}\n", paper.word, paper.title);
    text += best_text(paper, columns);
    text += conclusions_text(paper, columns);
    if (paper.speeds.empty()) text += "  No two of them timed the same variant in the same case.\n";
    for (const auto& s : paper.speeds) text += speed_text(s, columns);
    text += disputed_text(paper, columns);
    text += '\n';
  }
  return wrapped(text);
}

}  // namespace reprise::reports
