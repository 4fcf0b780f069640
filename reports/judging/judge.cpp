// SPDX-License-Identifier: MIT
// Finds the rows of a claim, evaluates its parts with their intervals, and compares these with its bounds.
#include "reports/judging/judge.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <unordered_map>
#include <unordered_set>

namespace reprise::reports {
namespace {

// The rows that the selectors of one part stand for.
using rows_of_selectors = std::vector<std::vector<candidate>>;

struct found_rows {
  rows_of_selectors of_selector;
  std::string missing;  // why a selector has none
};

bool mixes_runs(const rows_of_selectors& chosen) {
  const run* first = nullptr;
  for (const auto& several : chosen) {
    for (const auto& one : several) {
      if (first == nullptr) first = one.from;
      if (one.from != nullptr && one.from != first) return true;
    }
  }
  return false;
}

// The same rows, all from the first run that has each of them; empty if there is none.
rows_of_selectors from_one_run(const quantity& expression, const rows_of_selectors& chosen,
                               const evidence& known) {
  const auto& selectors = expression.selectors;
  const auto measured = std::ranges::find(selectors, false, &selector::published);
  for (const run* only : runs_with(*measured, known)) {
    rows_of_selectors same;
    for (std::size_t i = 0; i < selectors.size(); ++i) {
      auto rows = select(selectors[i], known, only);
      if (rows.size() < chosen[i].size()) break;
      same.push_back(std::move(rows));
    }
    if (same.size() == selectors.size()) return same;
  }
  return {};
}

found_rows find_rows(const claim& c, const quantity& expression, const evidence& known) {
  found_rows found;
  for (const auto& s : expression.selectors) {
    auto chosen = select(s, known);
    if (chosen.empty() && s.published)
      throw c.at.complaint("{{{}}} selects no published row; correct the selector", s.text);
    const auto flaw = chosen.empty() ? why_nothing(s, known) : open_choice(s, known);
    if (s.published && !flaw.empty()) throw c.at.complaint("{}", flaw);
    if (!flaw.empty()) found.missing += (found.missing.empty() ? "" : "; ") + flaw;
    found.of_selector.push_back(std::move(chosen));
  }
  // Two sides of a comparison belong to one machine and one day where a run has both.
  if (found.missing.empty() && expression.selectors.size() > 1 && mixes_runs(found.of_selector)) {
    auto same = from_one_run(expression, found.of_selector, known);
    if (!same.empty()) found.of_selector = std::move(same);
  }
  return found;
}

// An expression whose rows are each only once in `rows`, so that a row in two places moves in both.
class evaluation {
 public:
  evaluation(const quantity& expression, const std::vector<std::vector<candidate>>& of_selector,
             const csv::place& at)
      : expression_(expression), at_(at) {
    std::unordered_map<const row*, std::size_t> known;
    for (const auto& several : of_selector) {
      auto& indices = index_.emplace_back();
      for (const auto& one : several) {
        const auto [at, is_new] = known.try_emplace(one.data, rows_.size());
        indices.push_back(at->second);
        if (is_new) rows_.push_back(one);
      }
    }
  }

  const std::vector<candidate>& rows() const { return rows_; }

  double with(const std::vector<double>& values) const {
    std::vector<std::vector<double>> numbers;
    for (const auto& indices : index_) {
      auto& several = numbers.emplace_back();
      for (const auto i : indices) several.push_back(values[i]);
    }
    return expression_.evaluate(numbers, at_);
  }

  std::string arithmetic() const {
    std::string text = expression_.literals.front();
    for (std::size_t s = 0; s < index_.size(); ++s) {
      std::vector<std::string> numbers;
      for (const auto i : index_[s]) numbers.push_back(fmt::format("{:.4g}", rows_[i].data->value));
      text += fmt::format("{}{}", fmt::join(numbers, ", "), expression_.literals[s + 1]);
    }
    return text;
  }

 private:
  const quantity& expression_;
  const csv::place& at_;
  std::vector<candidate> rows_;
  std::vector<std::vector<std::size_t>> index_;
};

// What the noise of all rows does to a quantity, in one direction. Noise that is independent combines in squares, other noise
// adds.
class spread {
 public:
  void widen(double by, bool is_independent) {
    if (is_independent)
      squares_ = std::hypot(squares_, by);
    else
      sum_ += by;
  }
  double whole() const { return std::hypot(squares_, sum_); }

 private:
  double squares_{}, sum_{};
};

interval evaluate(const evaluation& e, const evidence& known, bool adds_up) {
  std::vector<double> values;
  for (const auto& c : e.rows()) values.push_back(c.data->value);
  // A maximum or a quotient may hide a number that is not finite; no quantity rests on one.
  if (!std::ranges::all_of(values, [](double v) { return std::isfinite(v); })) return {};
  interval result;
  result.value = e.with(values);
  spread below, above;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto noise = interval_of(e.rows()[i], known);
    if (noise.is_exact()) continue;
    auto moved = values;
    moved[i] = noise.low;
    const double a = e.with(moved) - result.value;
    moved[i] = noise.high;
    const double b = e.with(moved) - result.value;
    if (!std::isfinite(a) || !std::isfinite(b)) continue;  // e.g. a divisor that rounds to zero
    const bool is_independent = !adds_up && is_sampled_time(*e.rows()[i].data);
    below.widen(std::max({0.0, -a, -b}), is_independent);
    above.widen(std::max({0.0, a, b}), is_independent);
  }
  result.low = result.value - below.whole();
  result.high = result.value + above.whole();
  if (!std::isfinite(result.value)) return {};
  return result;
}

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

// What the parts of a claim have added to its basis so far.
struct known_basis {
  std::unordered_set<const row*> rows;
  std::unordered_set<std::string> keys;
  std::vector<std::string> lone_samples;  // the keys of times with one sample
};

void add_basis(const found_rows& found, const evidence& known, judgement& to, known_basis& seen) {
  for (const auto& several : found.of_selector) {
    for (const auto& one : several) {
      if (!seen.rows.insert(one.data).second) continue;
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

std::string why_undecided(const claim& c, const judged_part& deciding,
                          const std::vector<std::string>& lone_samples) {
  if (!std::isfinite(deciding.measured.value)) return "the quantity is not a finite number; " + c.reason;
  const auto lone = lone_samples.empty()
                        ? std::string()
                        : fmt::format("a single sample counts with a factor of {:g} either way: {}; ",
                                      single_sample_factor, fmt::join(lone_samples, ", "));
  return "the interval of the measurement crosses the bound; " + lone + c.reason;
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
  known_basis seen;
  for (const auto& part : c.parts) {
    const auto found = find_rows(c, part.expression, known);
    add_basis(found, known, result, seen);
    if (found.missing.empty()) {
      add_parts(c, part, found, known, result.parts);
    } else if (missing.find(found.missing) == std::string::npos) {
      missing += (missing.empty() ? "" : "; ") + found.missing;
    }
  }
  sort_by_decision(c, result.parts);
  if (!missing.empty()) {
    result.outcome = c.kind == claim_class::shown ? verdict::shown : verdict::undecided;
    result.reason = missing + (c.reason.empty() || c.kind == claim_class::shown ? "" : "; " + c.reason);
    result.takes = commands_for(c, known);
    return result;
  }
  result.measured = result.parts.front().measured;
  result.outcome = verdict_on(c, result.parts);
  result.reason = c.reason;
  if (result.outcome != verdict::undecided) return result;
  result.reason = why_undecided(c, result.parts.front(), seen.lone_samples);
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
