// SPDX-License-Identifier: MIT
// Splits a remark into sentences with expressions, and puts their values in.
#include "reports/judging/remark.hpp"

#include <cmath>
#include <optional>
#include <string_view>

#include "reports/judging/evaluation.hpp"
#include "reports/text/digits.hpp"

namespace reprise::reports {
namespace {

constexpr std::string_view opening = "[[", closing = "]]";

// Where the first sentence of the text ends; its length if it is the last one.
std::size_t end_of_sentence(std::string_view text) {
  constexpr std::string_view end = ". ";
  const auto at = text.find(end);
  return at == std::string_view::npos ? text.size() : at + end.size();
}

std::optional<std::string> number_text(const quantity& expression, const evidence& known,
                                       const csv::place& at) {
  const auto found = find_rows(expression, known, at);
  if (!found.missing.empty()) return std::nullopt;
  const auto value = evaluate(evaluation(expression, found.of_selector, at), known, false);
  if (!std::isfinite(value.value)) return std::nullopt;
  return brief_text(value.value, value.low, value.high);
}

std::string with_numbers(const sentence& s, const evidence& known, const csv::place& at) {
  auto text = s.texts.front();
  for (std::size_t i = 0; i < s.numbers.size(); ++i) {
    const auto number = number_text(s.numbers[i], known, at);
    if (!number) return {};
    text += *number + s.texts[i + 1];
  }
  return text;
}

}  // namespace

std::string remark::with_numbers(const evidence& known) const {
  std::string text;
  for (const auto& s : sentences) text += reports::with_numbers(s, known, at);
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
    current.texts.back() += rest.substr(0, plain);
    rest.remove_prefix(plain);
    if (plain == end) {
      finish();
      continue;
    }
    const auto close = rest.find(closing);
    if (close == std::string_view::npos) throw at.complaint("the reason has a [[ without its ]]");
    current.numbers.push_back(
        parse_quantity(std::string(rest.substr(opening.size(), close - opening.size())), at));
    if (current.numbers.back().is_each)
      throw at.complaint("the reason has each(...), which is no one number");
    current.texts.emplace_back();
    rest.remove_prefix(close + closing.size());
  }
  if (current.texts.size() > 1 || !current.texts.front().empty()) finish();
  return result;
}

}  // namespace reprise::reports
