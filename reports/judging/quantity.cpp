// SPDX-License-Identifier: MIT
// Splits an expression at its selectors and evaluates it with muParser, with one
// variable per selected number.
#include "reports/judging/quantity.hpp"

#include <fmt/format.h>
#include <muParser.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <string_view>

namespace reprise::reports {
namespace {

constexpr auto glob_characters = "*?[";
constexpr std::string_view blanks = " \t";

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(blanks) - first + 1));
}

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts;
  for (;;) {
    const auto end = text.find(at);
    parts.push_back(trimmed(text.substr(0, end)));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

void set_option(selector& s, const std::string& option, const csv::place& at) {
  const auto equals = option.find('=');
  const auto key = trimmed(option.substr(0, equals));
  const auto value = equals == std::string::npos ? std::string() : trimmed(option.substr(equals + 1));
  const std::map<std::string, std::string*> texts{{"experiment", &s.experiment},
                                                  {"device", &s.device},
                                                  {"precision", &s.precision},
                                                  {"parameter", &s.parameter}};
  if (const auto known = texts.find(key); known != texts.end() && !value.empty()) {
    *known->second = value;
  } else if (key == "source" && (value == "published" || value == "measured")) {
    s.published = value == "published";
  } else {
    throw at.complaint(
        "\"{}\" in {{{}}} is none of experiment=, device=, precision=, parameter=, source=published", option,
        s.text);
  }
}

selector parse_selector(const std::string& text, const csv::place& at) {
  const auto parts = split(text, ',');
  const auto& rows = parts.front();
  const auto size = rows.find('@');
  if (size == std::string::npos) throw at.complaint("{{{}}} is not {{VARIANT@SIZE...}}", text);
  const auto metric = rows.find(':', size);
  selector s;
  s.text = text;
  s.variant = trimmed(rows.substr(0, size));
  s.size = trimmed(rows.substr(size + 1, metric == std::string::npos ? metric : metric - size - 1));
  if (metric != std::string::npos) s.metric = trimmed(rows.substr(metric + 1));
  if (s.size.empty()) throw at.complaint("{{{}}} has no size after its @; write * for any", text);
  for (std::size_t i = 1; i < parts.size(); ++i) set_option(s, parts[i], at);
  return s;
}

bool is_name_character(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_whole_argument(const std::string& before, const std::string& after) {
  const auto left = trimmed(before);
  const auto right = trimmed(after);
  if (left.empty() || right.empty() || (right.front() != ',' && right.front() != ')')) return false;
  if (left.back() == ',') return true;
  return left.size() >= 2 && left.back() == '(' && is_name_character(left[left.size() - 2]);
}

// The name of the function whose argument follows these literals: "min" after "1 + min(" and "min({a@*},".
std::string function_before(std::span<const std::string> literals) {
  int depth = 0;
  for (std::size_t l = literals.size(); l-- > 0;) {
    const auto& text = literals[l];
    for (std::size_t i = text.size(); i-- > 0;) {
      if (text[i] == ')') ++depth;
      if (text[i] != '(' || depth-- > 0) continue;
      auto begin = i;
      while (begin > 0 && is_name_character(text[begin - 1])) --begin;
      return text.substr(begin, i - begin);
    }
  }
  return {};
}

// The parser limits the length of an expression, so that many numbers are reduced to one where the function allows:
// an average only if it has no other argument.
std::vector<double> reduced(const std::vector<double>& numbers, const std::string& function, bool is_alone) {
  if (numbers.size() < 2) return numbers;
  const double sum = std::accumulate(numbers.begin(), numbers.end(), 0.0);
  if (function == "min") return {std::ranges::min(numbers)};
  if (function == "max") return {std::ranges::max(numbers)};
  if (function == "sum") return {sum};
  if (function == "avg" && is_alone) return {sum / static_cast<double>(numbers.size())};
  return numbers;
}

bool is_only_argument(const std::string& before, const std::string& after) {
  const auto left = trimmed(before);
  const auto right = trimmed(after);
  return left.ends_with('(') && right.starts_with(')');
}

// What stands between the brackets and commas of one level of an expression.
struct level {
  bool has_and{}, has_other{};

  bool is_mixed() const { return has_and && has_other; }
};

// Whether && stands beside ==, != or || without brackets. Which of them binds first is a rule that readers do not know by heart.
bool mixes_operators(std::string_view expression) {
  std::vector<level> levels(1);
  for (std::size_t i = 0; i < expression.size(); ++i) {
    const std::string_view two = expression.substr(i, 2);
    if (two == "&&") levels.back().has_and = true;
    if (two == "==" || two == "!=" || two == "||") levels.back().has_other = true;
    if (levels.back().is_mixed()) return true;
    if (expression[i] == '(') levels.emplace_back();
    if (expression[i] == ')' && levels.size() > 1) levels.pop_back();
    if (expression[i] == ',') levels.back() = {};
  }
  return false;
}

// Whether a = stands alone, which would set a number and not compare it.
bool assigns(std::string_view expression) {
  for (std::size_t i = 0; i < expression.size(); ++i) {
    if (expression[i] != '=') continue;
    const char before = i > 0 ? expression[i - 1] : ' ';
    const char after = i + 1 < expression.size() ? expression[i + 1] : ' ';
    if (after == '=')
      ++i;
    else if (before != '<' && before != '>' && before != '!')
      return true;
  }
  return false;
}

// The inner part of "each(...)"; empty for any other text.
std::string inside_each(const std::string& text) {
  constexpr std::string_view opening = "each(";
  const auto whole = trimmed(text);
  if (!whole.starts_with(opening) || !whole.ends_with(')')) return {};
  return whole.substr(opening.size(), whole.size() - opening.size() - 1);
}

}  // namespace

bool selector::is_glob() const {
  return (variant + size).find_first_of(glob_characters) != std::string::npos;
}

quantity parse_quantity(const std::string& text, const csv::place& at) {
  constexpr std::size_t longest = 8000;
  if (text.size() > longest)
    throw at.complaint("the quantity is longer than 8000 characters; split the claim");
  const auto inner = inside_each(text);
  quantity result{text, {}, {}, !inner.empty()};
  const auto& expression = result.is_each ? inner : text;
  std::size_t from = 0;
  for (;;) {
    const auto open = expression.find('{', from);
    result.literals.push_back(expression.substr(from, open - from));
    if (result.literals.back().find('}') != std::string::npos)
      throw at.complaint("the quantity has a }} without its {{");
    if (open == std::string::npos) break;
    const auto close = expression.find('}', open);
    if (close == std::string::npos) throw at.complaint("the quantity has a {{ without its }}");
    result.selectors.push_back(parse_selector(expression.substr(open + 1, close - open - 1), at));
    from = close + 1;
  }
  if (result.is_each && result.selectors.size() != 1)
    throw at.complaint("each(...) needs exactly one selector");
  for (std::size_t i = 0; i < result.selectors.size() && !result.is_each; ++i) {
    const auto& s = result.selectors[i];
    if (s.is_glob() && !is_whole_argument(result.literals[i], result.literals[i + 1]))
      throw at.complaint("{{{}}} may stand for several numbers; put it into min, max, avg or sum", s.text);
  }
  const auto operators = fmt::format("{}", fmt::join(result.literals, ""));
  if (assigns(operators)) throw at.complaint("the quantity has a lone =; == compares");
  if (mixes_operators(operators))
    throw at.complaint("&& stands beside ==, != or ||; put brackets around what belongs together");
  // Checks that the expression parses, with arbitrary numbers and independently of the rows on this machine.
  std::vector<std::vector<double>> any;
  for (const auto& s : result.selectors) any.emplace_back(s.is_glob() && !result.is_each ? 2 : 1, 1.0);
  result.evaluate(any, at);
  return result;
}

double quantity::evaluate(const std::vector<std::vector<double>>& numbers, const csv::place& at) const {
  std::vector<std::vector<double>> arguments;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    arguments.push_back(reduced(numbers[i], function_before(std::span(literals).first(i + 1)),
                                is_only_argument(literals[i], literals[i + 1])));
  std::vector<double> values;
  for (const auto& several : arguments) values.insert(values.end(), several.begin(), several.end());
  const auto variable = [](std::size_t index) { return fmt::format("selected_{}", index); };
  std::string expression = literals.front();
  std::size_t next = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    for (std::size_t n = 0; n < arguments[i].size(); ++n)
      expression += (n == 0 ? " " : ",") + variable(next++);
    expression +=
        " " + literals[i + 1];  // a blank, since a digit after a selector would extend the variable's name
  }
  try {
    mu::Parser parser;
    for (std::size_t i = 0; i < values.size(); ++i) parser.DefineVar(variable(i), &values[i]);
    parser.SetExpr(expression);
    int count = 0;
    const double* results = parser.Eval(count);
    if (count == 1) return results[0];
  } catch (const mu::ParserError& problem) {
    throw at.complaint("the quantity is no expression: {}", problem.GetMsg());
  }
  throw at.complaint("the quantity has several values; it needs one");
}

}  // namespace reprise::reports
