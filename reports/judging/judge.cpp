// SPDX-License-Identifier: MIT
// Evaluates the parts of a claim with their intervals, and compares these with its bounds.
#include "reports/judging/judge.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <unordered_set>

#include "reports/judging/evaluation.hpp"

namespace reprise::reports {
namespace {

// How far the number lies outside its range, or how near to its edge, as a share of the nearer edge.
double distance_outside(const interval& i, const range& within) {
  const auto beyond = [](double by, double edge) {
    return std::isinf(edge) ? -std::numeric_limits<double>::infinity()
                            : by / std::max(std::abs(edge), 1e-300);
  };
  return std::max(beyond(within.low - i.value, within.low), beyond(i.value - within.high, within.high));
}

judged_part compare(const claim& c, std::string label, const interval& measured, std::string arithmetic) {
  judged_part p{std::move(label), measured, {}, {}, std::move(arithmetic)};
  if (!c.limit) return p;
  p.limit = stand(measured, c.limits());
  p.partly = c.partly ? stand(measured, c.partly_limits()) : p.limit;
  return p;
}

// Evaluates one part: a number, or one for each row if the part says so.
void add_parts(const claim& c, const claim_part& part, const found_rows& found, const evidence& known,
               std::vector<judged_part>& parts) {
  const bool adds_up = c.kind == claim_class::arithmetic;
  if (!part.expression.is_each) {
    const evaluation e(part.expression, found.of_selector, c.at);
    parts.push_back(compare(c, part.label, evaluate(e, known, adds_up), e.arithmetic()));
    return;
  }
  for (const auto& one : found.of_selector.front()) {
    const evaluation e(part.expression, {{one}}, c.at);
    parts.push_back(compare(c, basis_key(one, known), evaluate(e, known, adds_up), e.arithmetic()));
  }
}

std::vector<const quantity*> expressions_of(const claim& c) {
  std::vector<const quantity*> all;
  for (const auto& part : c.parts) all.push_back(&part.expression);
  return all;
}

// What the parts of a claim have added to its basis so far.
struct known_basis {
  std::vector<const run*> runs;
  std::unordered_set<const row*> rows;
  std::unordered_set<std::string> keys;
  std::vector<std::string> lone_samples;  // the keys of times with one sample
};

void add_basis(const found_rows& found, const evidence& known, judgement& to, known_basis& seen) {
  for (const auto& several : found.of_selector) {
    for (const auto& one : several) {
      if (!seen.rows.insert(one.data).second) continue;
      if (one.from != nullptr && std::ranges::find(seen.runs, one.from) == seen.runs.end())
        seen.runs.push_back(one.from);
      auto key = basis_key(one, known);
      if (is_lone_sample(one, known)) seen.lone_samples.push_back(key);
      if (seen.keys.insert(key).second) {
        to.basis.push_back(key);
        to.rows.push_back(one.data);
      }
      to.used.push_back({std::move(key), *one.data});
    }
  }
}

bool all(const std::vector<judged_part>& parts, standing judged_part::*which, standing is) {
  return std::ranges::all_of(parts, [&](const judged_part& p) { return p.*which == is; });
}

bool any(const std::vector<judged_part>& parts, standing judged_part::*which, standing is) {
  return std::ranges::any_of(parts, [&](const judged_part& p) { return p.*which == is; });
}

// Several parts of which some hold, or all within the second bound.
bool holds_in_part(const std::vector<judged_part>& parts) {
  return all(parts, &judged_part::partly, standing::inside) ||
         (parts.size() > 1 && any(parts, &judged_part::partly, standing::inside));
}

verdict conclusion_on(const claim& c, const std::vector<judged_part>& parts) {
  if (all(parts, &judged_part::limit, standing::inside)) return verdict::holds;
  // Noise may hide that all parts hold, or that none does.
  if (!any(parts, &judged_part::limit, standing::outside)) return verdict::undecided;
  if (c.partly || parts.size() > 1) {
    if (holds_in_part(parts)) return verdict::holds_in_part;
    if (any(parts, &judged_part::partly, standing::crossing)) return verdict::undecided;
  }
  return *c.otherwise;
}

verdict verdict_on(const claim& c, const std::vector<judged_part>& parts) {
  const bool is_finite =
      std::ranges::all_of(parts, [](const judged_part& p) { return std::isfinite(p.measured.value); });
  switch (c.kind) {
    case claim_class::shown:
      return verdict::shown;
    case claim_class::conclusion:
      return is_finite ? conclusion_on(c, parts) : verdict::undecided;
    case claim_class::arithmetic:
      return any(parts, &judged_part::limit, standing::outside) ? *c.otherwise : verdict::consistent;
    case claim_class::number:
    case claim_class::beyond:
      break;
  }
  if (any(parts, &judged_part::limit, standing::outside)) return verdict::differs;
  if (any(parts, &judged_part::limit, standing::crossing)) return verdict::undecided;
  return c.kind == claim_class::number ? verdict::reproduced : verdict::holds;
}

// Puts the part that decides first: outside before crossing before inside, then the one farthest out.
void sort_by_decision(const claim& c, std::vector<judged_part>& parts) {
  if (!c.limit) return;
  const auto limits = c.limits();
  std::ranges::stable_sort(parts, [&](const judged_part& a, const judged_part& b) {
    if (a.limit != b.limit) return a.limit > b.limit;
    return distance_outside(a.measured, limits) > distance_outside(b.measured, limits);
  });
}

constexpr std::string_view when_quiet = " (with nothing else on the machine)";

// Why numbers are missing, in a word or two. What was never measured outweighs all else: only that decides the claim.
std::string absence(const std::vector<const row*>& without_number) {
  const auto is = [&](const std::string& status) {
    return std::ranges::any_of(without_number,
                               [&](const row* r) { return r != nullptr && r->status == status; });
  };
  if (is("ok")) return "needs a GPU";  // since a processor's time of a GPU's code is no number
  const auto was_tried = [](const row* r) {
    return r != nullptr && (r->status == "failed" || r->status == "disturbed");
  };
  if (!std::ranges::all_of(without_number, was_tried)) return "not measured";
  return is("failed") ? "wrong answer" : "disturbed";
}

// The commands that measure the experiments of the claim.
std::string commands_for(const claim& c, const evidence& known) {
  if (!c.decided_by.empty()) return c.decided_by;
  std::vector<std::string> experiments;
  for (const auto& p : c.parts) {
    for (const auto& s : p.expression.selectors) {
      const auto name = std::string(short_name(s.experiment));
      if (!s.published && !name.empty() && std::ranges::find(experiments, name) == experiments.end())
        experiments.push_back(name);
    }
  }
  if (experiments.empty()) return fmt::format("reprise run '{}/*' --out RUN", known.family);
  std::string text;
  for (const auto& e : experiments)
    text += fmt::format("{}reprise run {}/{} --out RUN", text.empty() ? "" : "; ", known.family, e);
  return text;
}

std::string with_remarks(const std::string& why, const std::string& remarks) {
  return remarks.empty() ? why : why + "; " + remarks;
}

std::string why_undecided(const std::string& remarks, const judged_part& deciding,
                          const std::vector<std::string>& lone_samples) {
  if (!std::isfinite(deciding.measured.value))
    return with_remarks("the quantity is not a finite number", remarks);
  const auto lone = lone_samples.empty()
                        ? std::string()
                        : fmt::format("; a single sample counts with a factor of {:g} either way: {}",
                                      single_sample_factor, fmt::join(lone_samples, ", "));
  return with_remarks("the interval of the measurement crosses the bound" + lone, remarks);
}

// Times of one sample take more runs, since a run that long is not repeated in one.
std::string commands_for(const claim& c, const evidence& known,
                         const std::vector<std::string>& lone_samples) {
  const auto commands = commands_for(c, known);
  if (lone_samples.empty()) return commands;
  return fmt::format("{} (until {} runs have the sample, each in a folder of its own)", commands,
                     enough_single_samples);
}

}  // namespace

standing stand(const interval& of, const range& within) {
  if (!std::isfinite(of.value)) return standing::outside;
  const bool low = within.contains(of.low);
  const bool high = within.contains(of.high);
  if (low && high) return standing::inside;
  const bool is_apart = of.high < within.low || of.low > within.high || (of.low == of.high);
  const bool touches_open_end =
      (within.excludes_low && of.high <= within.low) || (within.excludes_high && of.low >= within.high);
  return is_apart || touches_open_end ? standing::outside : standing::crossing;
}

judgement judge(const claim& c, const evidence& known) {
  judgement result;
  std::string missing;
  std::vector<const row*> without_number;
  known_basis seen;
  const auto kind = kind_of_machine_for(expressions_of(c), known);
  for (const auto& part : c.parts) {
    const auto found = find_rows(part.expression, known, c.at, kind);
    add_basis(found, known, result, seen);
    without_number.insert(without_number.end(), found.without_number.begin(), found.without_number.end());
    if (found.missing.empty()) {
      add_parts(c, part, found, known, result.parts);
    } else if (missing.find(found.missing) == std::string::npos) {
      missing += (missing.empty() ? "" : "; ") + found.missing;
    }
  }
  sort_by_decision(c, result.parts);
  const auto remarks = c.reason.with_numbers(known, seen.runs);
  if (!missing.empty()) {
    result.outcome = c.kind == claim_class::shown ? verdict::shown : verdict::undecided;
    result.reason = c.kind == claim_class::shown ? missing : with_remarks(missing, remarks);
    result.absence = absence(without_number);
    result.takes = commands_for(c, known);
    if (result.absence == "disturbed" && !result.takes.ends_with(when_quiet)) result.takes += when_quiet;
    return result;
  }
  result.measured = result.parts.front().measured;
  result.outcome = verdict_on(c, result.parts);
  result.reason = remarks;
  if (result.outcome != verdict::undecided) return result;
  result.reason = why_undecided(remarks, result.parts.front(), seen.lone_samples);
  result.takes = commands_for(c, known, seen.lone_samples);
  return result;
}

verdict_counts count_verdicts(std::span<const judgement> judgements) {
  verdict_counts counts;
  for (const auto v : all_verdicts) counts[v] = 0;
  for (const auto& j : judgements) ++counts[j.outcome];
  return counts;
}

std::string in_words(const verdict_counts& counts) {
  std::string text;
  for (const auto& [v, count] : counts)
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, to_string(v));
  return text;
}

}  // namespace reprise::reports
