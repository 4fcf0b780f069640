// SPDX-License-Identifier: MIT
// Sorts cases by their kinds and their work.
#include "benchmarks/harness/count/choice.hpp"

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>
#include <tuple>

namespace reprise::counting {
namespace {

bool is_number(std::string_view text) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc{} && end == text.data() + text.size();
}

}  // namespace

std::string kind_of(const std::string& parameter) {
  std::string kind;
  for (std::size_t begin = 0; begin < parameter.size();) {
    const std::size_t end = std::min(parameter.find(';', begin), parameter.size());
    const std::string part = parameter.substr(begin, end - begin);
    if (!is_number(part.substr(part.find('=') + 1))) kind += (kind.empty() ? "" : ";") + part;
    begin = end + 1;
  }
  return kind;
}

std::vector<countable> chosen(std::vector<countable> cases, bool has_all) {
  const auto makes_steps = [](const countable& c) { return c.has_own_work && c.repeats > 1; };
  std::set<std::string> with_steps;  // variants
  for (const countable& c : cases)
    if (makes_steps(c)) with_steps.insert(c.variant);
  const auto has_steps = [&](const countable& c) { return with_steps.contains(c.variant); };
  if (!has_all) std::erase_if(cases, [&](const countable& c) { return has_steps(c) && !makes_steps(c); });
  const auto group = [&](const countable& c) {
    const bool by_kind = has_all || has_steps(c);
    return std::tuple(std::string(c.variant), std::string(c.device), std::string(c.precision),
                      by_kind ? kind_of(c.parameter) : "");
  };
  const auto work = [&](const countable& c) {
    const double nodes = reports::nodes_of(c.size);
    return std::tuple(!c.has_own_work, !makes_steps(c), c.seconds, nodes == nodes ? nodes : 0, c.parameter);
  };
  std::ranges::stable_sort(cases, {}, work);
  std::ranges::stable_sort(cases, {}, group);
  const auto rest = std::ranges::unique(cases, {}, group);
  cases.erase(rest.begin(), rest.end());
  return cases;
}

}  // namespace reprise::counting
