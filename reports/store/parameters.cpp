// SPDX-License-Identifier: MIT
// Splits the text of parameters into its parts, and joins them again.
#include "reports/store/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "reports/store/csv.hpp"

namespace reprise::reports {

parameters::parameters(std::string_view text) : parts_(csv::to_list(text)) {}

std::string_view parameters::part(std::string_view name) const {
  const auto found = std::ranges::find_if(parts_, [&](const std::string& p) {
    const auto named = std::string_view(p).substr(std::min(p.find_first_not_of(' '), p.size()));
    return !name.empty() && named.starts_with(name) && named.substr(name.size()).starts_with('=');
  });
  return found == parts_.end() ? std::string_view() : *found;
}

std::string parameters::text_of(std::string_view name) const {
  const auto found = part(name);
  return std::string(found.substr(std::min(found.find('=') + 1, found.size())));
}

double parameters::number(std::string_view name) const {
  const auto text = text_of(name);
  double value{};
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = code == std::errc() && end == text.data() + text.size();
  return is_number ? value : std::numeric_limits<double>::quiet_NaN();
}

parameters parameters::without(std::string_view name) const {
  auto rest = *this;
  if (const auto found = std::ranges::find(rest.parts_, part(name)); found != rest.parts_.end())
    rest.parts_.erase(found);
  return rest;
}

parameters parameters::only(std::string_view name) const {
  return parameters(part(name));
}

std::string parameters::text() const {
  return fmt::format("{}", fmt::join(parts_, ";"));
}

}  // namespace reprise::reports
