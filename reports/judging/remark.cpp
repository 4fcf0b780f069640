// SPDX-License-Identifier: MIT
// Splits a remark into sentences with expressions, and puts their values in.
#include "reports/judging/remark.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "reports/judging/evaluation.hpp"
#include "reports/text/digits.hpp"

namespace reprise::reports {
namespace {

constexpr std::string_view opening = "[[", closing = "]]";

// Where the first sentence of the text ends, with the blank behind it; its length if it is the last one. A dot before a number,
// as in "Fig. 3", ends none.
std::size_t end_of_sentence(std::string_view text) {
  for (std::size_t at = text.find_first_of(".?!"); at != std::string_view::npos;
       at = text.find_first_of(".?!", at + 1)) {
    const auto blank = text.find_first_not_of("\")", at + 1);
    if (blank == std::string_view::npos) break;
    if (text[blank] != ' ') continue;
    const bool is_number = blank + 1 < text.size() && text[blank + 1] >= '0' && text[blank + 1] <= '9';
    if (!is_number) return blank + 1;
  }
  return text.size();
}

using expressions = std::vector<const quantity*>;

// The rows of all expressions, if one run has them.
std::vector<found_rows> from_one_run(const expressions& all, const evidence& known, const run& only) {
  std::vector<found_rows> found;
  for (const auto* expression : all) {
    found_rows& rows = found.emplace_back();
    rows.of_selector = rows_in(*expression, known, [&](const run& r) { return &r == &only; });
    if (std::ranges::any_of(rows.of_selector, [](const auto& few) { return few.empty(); })) return {};
  }
  return found;
}

// The same, from a run of the basis before others on machines of that kind. Empty if no run has all rows.
std::vector<found_rows> from_one_run(const expressions& all, const evidence& known,
                                     std::span<const run* const> basis) {
  if (all.empty()) return {};
  std::vector<const run*> runs(basis.begin(), basis.end());
  for (const run* r : runs_with(all.front()->selectors.front(), known)) {
    const auto kind = known.runs.kind_of_machine(*r);
    if (basis.empty() || known.runs.kind_of_machine(*basis.front()) == kind) runs.push_back(r);
  }
  for (const run* only : runs)
    if (auto found = from_one_run(all, known, *only); !found.empty()) return found;
  return {};
}

std::vector<found_rows> rows_of(const expressions& all, const evidence& known,
                                std::span<const run* const> basis, const csv::place& at) {
  if (auto found = from_one_run(all, known, basis); !found.empty()) return found;
  const auto kind =
      basis.empty() ? kind_of_machine_for(all, known) : known.runs.kind_of_machine(*basis.front());
  std::vector<found_rows> found;
  for (const auto* expression : all) found.push_back(find_rows(*expression, known, at, kind));
  return found;
}

expressions numbers_in(std::span<const sentence> sentences) {
  expressions all;
  for (const auto& s : sentences)
    for (const auto& number : s.numbers) all.push_back(&number);
  return all;
}

std::optional<std::string> number_text(const quantity& expression, const found_rows& found,
                                       const evidence& known, const csv::place& at) {
  if (!found.missing.empty()) return std::nullopt;
  const auto value = evaluate(evaluation(expression, found.of_selector, at), known, false);
  if (!std::isfinite(value.value)) return std::nullopt;
  return brief_text(value.value, value.low, value.high);
}

// The sentence with its numbers; empty if one is missing.
std::string filled(const sentence& s, std::span<const found_rows> rows, const evidence& known,
                   const csv::place& at) {
  auto text = s.texts.front();
  for (std::size_t i = 0; i < s.numbers.size(); ++i) {
    const auto number = number_text(s.numbers[i], rows[i], known, at);
    if (!number) return {};
    text += *number + s.texts[i + 1];
  }
  return text;
}

void require_plain(std::string_view text, const csv::place& at) {
  if (text.find(closing) != std::string_view::npos) throw at.complaint("the reason has a ]] without its [[");
  if (text.find_first_of("{}") != std::string_view::npos)
    throw at.complaint("the reason has a brace outside [[ and ]]");
}

quantity parse_number(const std::string& text, const csv::place& at) {
  if (text.find(opening) != std::string::npos) throw at.complaint("the reason has a [[ without its ]]");
  auto number = parse_quantity(text, at);
  if (number.is_each || number.selectors.empty())
    throw at.complaint("[[{}]] in the reason is no one number of rows", text);
  return number;
}

}  // namespace

std::string remark::with_numbers(const evidence& known, std::span<const run* const> basis) const {
  const auto together = from_one_run(numbers_in(sentences), known, basis);
  std::span<const found_rows> rest = together;
  std::string text;
  for (const auto& s : sentences) {
    const auto own = numbers_in(std::span(&s, 1));
    if (rest.empty()) {
      text += filled(s, rows_of(own, known, basis, at), known, at);
      continue;
    }
    text += filled(s, rest.first(own.size()), known, at);
    rest = rest.subspan(own.size());
  }
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

remark parse_remark(const std::string& text, const csv::place& at) {
  remark result{{}, at};
  std::string_view rest = text;
  sentence current{{""}, {}};
  const auto finish = [&] {
    result.sentences.push_back(std::move(current));
    current = {{""}, {}};
  };
  while (!rest.empty()) {
    const auto open = rest.find(opening);
    const auto end = end_of_sentence(rest);
    const auto plain = std::min(open, end);
    require_plain(rest.substr(0, plain), at);
    current.texts.back() += rest.substr(0, plain);
    rest.remove_prefix(plain);
    if (plain == end) {
      finish();
      continue;
    }
    const auto close = rest.find(closing);
    if (close == std::string_view::npos) throw at.complaint("the reason has a [[ without its ]]");
    current.numbers.push_back(
        parse_number(std::string(rest.substr(opening.size(), close - opening.size())), at));
    current.texts.emplace_back();
    rest.remove_prefix(close + closing.size());
  }
  if (current.texts.size() > 1 || !current.texts.front().empty()) finish();
  return result;
}

}  // namespace reprise::reports
