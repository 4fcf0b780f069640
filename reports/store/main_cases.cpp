// SPDX-License-Identifier: MIT
// Reads the papers' main cases from CSV.
#include "reports/store/main_cases.hpp"

#include <algorithm>
#include <array>

#include "reports/store/named_records.hpp"

namespace reprise::reports {
namespace {

constexpr std::array<std::string_view, 6> columns{"id", "title", "precision", "size", "parameter", "metrics"};

}  // namespace

bool main_case::is(const number_id& number) const {
  return number.size == size && has_work_of(number);
}

bool main_case::has_work_of(const number_id& number) const {
  return number.metric == metrics.front() && number.parameter == parameter &&
         (number.precision.empty() || number.precision == precision);
}

bool main_case::compares(const number_id& number) const {
  return std::ranges::any_of(metrics, [&](const std::string& m) { return number.metric == m; });
}

std::vector<main_case> read_main_cases(const std::filesystem::path& file) {
  return read_named(file, columns, [](const csv::record<columns.size()>& record, const csv::place& at) {
    const auto& [id, title, precision, size, parameter, metrics] = record.fields;
    main_case c{id, title, precision, size, parameter, csv::to_list(metrics)};
    if (c.metrics.empty()) throw at.complaint("the case names no metric");
    return c;
  });
}

}  // namespace reprise::reports
