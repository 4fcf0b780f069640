// SPDX-License-Identifier: MIT
// Prints claims and their verdicts.
#include "benchmarks/commands/claims_text.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <vector>

#include "reports/text/table.hpp"

namespace reprise::benchmarks {
namespace {

using reports::assessment;
using reports::bound;
using reports::claim;
using reports::claim_class;
using reports::interval;
using reports::judgement;
using reports::number_text;
using reports::verdict;

// "12.8 times cuSOLVER's time [12.6, 13]"
std::string number(const interval& i, const std::string& unit) {
  auto text = number_text(i.value, unit);
  if (i.is_exact() || std::isnan(i.value)) return text;
  return fmt::format("{} [{}, {}]", text, number_text(i.low), number_text(i.high));
}

void print_line(const std::string& text, std::ostream& out) {
  out << fmt::format("{:16}{}\n", "", text);
}

// Shows only the first few sources: a long list would bury the neighbouring claims, and --why shows all.
std::string basis_of(const judgement& j) {
  constexpr std::size_t most = 4;
  const auto shown = std::min(most, j.basis.size());
  auto text = fmt::format("{}", fmt::join(j.basis.begin(), j.basis.begin() + static_cast<long>(shown), "; "));
  if (shown < j.basis.size()) text += fmt::format("; and {} more", j.basis.size() - shown);
  return text;
}

std::string numbers_of(const claim& c, const judgement& j) {
  auto text = std::isnan(j.measured.value) ? j.absence : number(j.measured, c.unit);
  if (j.parts.size() > 1 && !std::isnan(j.measured.value)) {
    const auto fitting = std::ranges::count(j.parts, reports::standing::inside, &reports::judged_part::limit);
    text += fmt::format(" ({}; {} of {} within the bound)", j.parts.front().label, fitting, j.parts.size());
  }
  if (!std::isnan(c.published))
    text += fmt::format("{}the paper has {}", text.empty() ? "" : "; ", number_text(c.published, c.unit));
  return text;
}

void print_headline(const claim& c, const judgement& j, std::ostream& out) {
  out << fmt::format("  {:<14}{}\n", to_string(j.outcome), c.text);
  if (const auto numbers = numbers_of(c, j); !numbers.empty()) print_line(numbers, out);
  if (j.outcome == verdict::undecided) print_line("decided by: " + j.takes, out);
}

void print(const claim& c, const judgement& j, const std::string& word, std::ostream& out) {
  out << fmt::format("{:<15} {}/{} ({})\n", to_string(j.outcome), word, c.id, to_string(c.kind));
  print_line(fmt::format("{}: {}", c.place, c.text), out);
  if (const auto numbers = numbers_of(c, j); !numbers.empty()) print_line(numbers, out);
  if (!j.basis.empty()) print_line("rests on " + basis_of(j), out);
  if (!j.reason.empty()) print_line(j.reason, out);
  if (!j.takes.empty()) print_line("decided by: " + j.takes, out);
}

// Prints the derived cells that disagree; those that agree are only counted.
void print_derived(const assessment& of, const std::string& word, std::ostream& out) {
  std::size_t misprints = 0;
  for (std::size_t i = 0; i < of.derived.size(); ++i) {
    const auto& cell = of.derived[i];
    const auto& found = of.recomputed[i];
    if (found.agrees) continue;
    ++misprints;
    out << fmt::format("{:<15} {}/{} (derived cell)\n", "does not follow", word, cell.id);
    print_line(fmt::format("{}: printed {:g}, recomputed {:.6g}, from {:.6g} to {:.6g} with rounding",
                           cell.place, cell.printed, found.value, found.low, found.high),
               out);
    print_line(found.arithmetic, out);
    print_line(cell.reason, out);
  }
  if (!of.derived.empty())
    out << fmt::format("{}: {} derived cells recomputed from the paper's numbers, {} do not follow\n", word,
                       of.derived.size(), misprints);
}

constexpr std::string_view plural_of(claim_class kind) {
  switch (kind) {
    case claim_class::conclusion:
      return "conclusions";
    case claim_class::number:
      return "printed numbers";
    case claim_class::arithmetic:
      return "the paper's arithmetic";
    case claim_class::shown:
      return "times and rates of its hardware";
    case claim_class::beyond:
      break;
  }
  return "beyond the paper";
}

// Conclusions come first, and no class is added to another.
void print_counts(std::string_view name, std::span<const judged_paper> papers, std::ostream& out) {
  for (const auto kind : reports::all_classes) {
    reports::verdict_counts counts;
    std::size_t total = 0;
    for (const auto& p : papers)
      for (const auto& [v, count] : counts_of(p.judged, kind)) {
        counts[v] += count;
        total += count;
      }
    if (total == 0) continue;
    out << fmt::format("{}: {}: {}: {}\n", name, plural_of(kind), total, in_words(counts));
  }
}

void print_headlines(const judged_paper& p, std::ostream& out) {
  const auto order = headlines_of(p.judged);
  if (order.empty()) return;
  out << fmt::format("{}: {}\n", p.word, p.title);
  for (const auto i : order) print_headline(p.judged.claims[i], p.judged.judgements[i], out);
  out << '\n';
}

std::string bound_text(const claim& c, const bound& b, const reports::range& r) {
  std::string ends;
  if (std::isinf(r.high)) {
    ends = fmt::format("{} {}", r.excludes_low ? "above" : "at least", number_text(r.low));
  } else if (std::isinf(r.low)) {
    ends = fmt::format("{} {}", r.excludes_high ? "below" : "at most", number_text(r.high));
  } else {
    ends = fmt::format("from {} to {}", number_text(r.low), number_text(r.high));
  }
  const auto published =
      b.needs_published() ? fmt::format(" of the published {}", number_text(c.published)) : "";
  return fmt::format("\"{}\": {}{} ({}); {}", b.id, ends, published, b.sentence, b.reason);
}

std::string row_text(const reports::used_row& used) {
  const auto& r = used.data;
  const auto parameter = r.parameter.empty() ? "" : fmt::format(" ({})", r.parameter);
  auto text = fmt::format("{}{} = {}", used.key, parameter, number_text(r.value, r.unit));
  if (std::isfinite(r.q1) && std::isfinite(r.q3))
    text += fmt::format(" [{}, {}]", number_text(r.q1), number_text(r.q3));
  return text;
}

void print_why(const claim& c, const judgement& j, const std::string& word, std::ostream& out) {
  out << fmt::format("{}/{}: {}\n", word, c.id, to_string(j.outcome));
  print_line(fmt::format("sentence    {}: {}", c.place, c.text), out);
  print_line("quantity    " + c.quantity_text, out);
  for (std::size_t i = 0; i < j.used.size(); ++i)
    print_line((i == 0 ? "rows        " : "            ") + row_text(j.used[i]), out);
  for (std::size_t i = 0; i < j.parts.size(); ++i) {
    const auto& p = j.parts[i];
    const auto label = p.label.empty() ? "" : p.label + ": ";
    print_line(fmt::format("{}{}{} = {}", i == 0 ? "arithmetic  " : "            ", label, p.arithmetic,
                           number(p.measured, c.unit)),
               out);
  }
  if (!std::isnan(c.published)) print_line("published   " + number_text(c.published, c.unit), out);
  if (c.limit) print_line("bound       " + bound_text(c, *c.limit, c.limits()), out);
  if (c.partly) print_line("in part     " + bound_text(c, *c.partly, c.partly_limits()), out);
  if (c.otherwise) print_line(fmt::format("otherwise   {}", to_string(*c.otherwise)), out);
  if (!j.reason.empty()) print_line("reason      " + j.reason, out);
  if (!j.takes.empty()) print_line("decided by  " + j.takes, out);
}

}  // namespace

void print_text(std::span<const judged_paper> papers, bool with_claims, std::size_t runs, std::ostream& out) {
  for (const auto& p : papers) print_headlines(p, out);
  for (const auto& p : papers) {
    if (!with_claims) continue;
    for (const auto kind : reports::all_classes)
      for (std::size_t i = 0; i < p.judged.claims.size(); ++i)
        if (p.judged.claims[i].kind == kind) print(p.judged.claims[i], p.judged.judgements[i], p.word, out);
    print_derived(p.judged, p.word, out);
    print_counts(p.word, std::span(&p, 1), out);
  }
  print_counts("all", papers, out);
  out << fmt::format("judged by {} runs", runs);
  out << (with_claims ? "\n" : "; `reprise claims WORD` prints every claim, `--why CLAIM` all behind one\n");
}

void print_why(const judged_paper& paper, std::ostream& out) {
  for (std::size_t i = 0; i < paper.judged.claims.size(); ++i)
    print_why(paper.judged.claims[i], paper.judged.judgements[i], paper.word, out);
  print_derived(paper.judged, paper.word, out);
}

}  // namespace reprise::benchmarks
