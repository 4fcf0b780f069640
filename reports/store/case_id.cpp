// SPDX-License-Identifier: MIT
// Converts cases to text, CSV columns and hashes, and reads sizes.
#include "reports/store/case_id.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <tuple>
#include <vector>

#include "reports/store/csv.hpp"

namespace reprise::reports {
namespace {

std::vector<double> numbers_in(const std::string& text) {
  constexpr auto digits = "0123456789";
  std::vector<double> numbers;
  for (auto at = text.find_first_of(digits); at != std::string::npos; at = text.find_first_of(digits, at)) {
    double number = 0;
    const auto end = std::from_chars(text.data() + at, text.data() + text.size(), number).ptr;
    numbers.push_back(number);
    at = static_cast<std::size_t>(end - text.data());
  }
  return numbers;
}

}  // namespace

std::array<std::string_view, case_columns> texts_of(const case_id& id) {
  return {id.experiment, id.variant, id.device, id.precision, id.size, id.parameter};
}

number_id without_experiment(number_id id) {
  id.experiment.clear();
  return id;
}

std::string case_text(const case_id& id) {
  auto texts = texts_of(id);
  if (!id.experiment.empty()) texts[1] = short_name(id.variant);
  const auto end = std::remove(texts.begin(), texts.end(), "");
  return fmt::format("{}", fmt::join(texts.begin(), end, " "));
}

std::string csv_fields(const case_id& id) {
  std::vector<std::string> columns;
  for (const auto text : texts_of(id)) columns.push_back(csv::field(text));
  return fmt::format("{}", fmt::join(columns, ","));
}

std::string csv_fields(const number_id& id) {
  return csv_fields(static_cast<const case_id&>(id)) + "," + csv::field(id.metric);
}

case_id case_in(std::span<const std::string> fields) {
  return {fields[0], fields[1], fields[2], fields[3], fields[4], fields[5]};
}

number_id number_in(std::span<const std::string> fields) {
  return {case_in(fields), fields[case_columns]};
}

double width_of(std::string_view size) {
  double width{};
  const auto code = std::from_chars(size.data(), size.data() + size.size(), width).ec;
  return code == std::errc() ? width : std::numeric_limits<double>::quiet_NaN();
}

double nodes_of(std::string_view size) {
  const auto cross = size.find('x');
  return width_of(size) * (cross == std::string_view::npos ? 1 : nodes_of(size.substr(cross + 1)));
}

bool size_before(const std::string& a, const std::string& b) {
  const auto left = numbers_in(a);
  const auto right = numbers_in(b);
  return std::tie(left, a) < std::tie(right, b);
}

std::string_view short_name(std::string_view id) {
  const auto slash = id.find('/');
  return slash == std::string_view::npos ? id : id.substr(slash + 1);
}

std::string_view family_of(std::string_view id) {
  return id.substr(0, id.find('/'));
}

}  // namespace reprise::reports

std::size_t std::hash<reprise::reports::case_id>::operator()(
    const reprise::reports::case_id& id) const noexcept {
  // Addresses differ in few bits, which a multiplication by an odd constant spreads.
  constexpr std::size_t odd = 0x9e3779b97f4a7c15;
  std::size_t all = 0;
  for (const auto* text : {&id.experiment, &id.variant, &id.device, &id.precision, &id.size, &id.parameter}) {
    all = (all ^ text->hash()) * odd;
    all ^= all >> 32;
  }
  return all;
}

std::size_t std::hash<reprise::reports::number_id>::operator()(
    const reprise::reports::number_id& id) const noexcept {
  return 31 * std::hash<reprise::reports::case_id>{}(id) + (id.metric.hash() >> 4);
}
