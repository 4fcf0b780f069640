// SPDX-License-Identifier: MIT
// The fields that identify a case, and one number of a case.
#pragma once

#include <array>
#include <compare>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "reports/store/shared_text.hpp"

namespace reprise::reports {

struct case_id {
  shared_text experiment;  // "jacobi/table1"
  shared_text variant;     // "jacobi/cuda_simple"
  shared_text device;      // "cuda:0"; the board's name for a paper's number
  shared_text precision;   // "single", "double"
  shared_text size;        // "512x1024"
  shared_text parameter;   // other properties that distinguish rows: "matrix=neumann"

  auto operator<=>(const case_id&) const = default;
};

// Compares rows, samples and fields by their case only.
inline bool same_case(const case_id& a, const case_id& b) {
  return a == b;
}

struct number_id : case_id {
  shared_text metric;  // "time_1000_sweeps"; "speedup_..." and "share_of_..." mean the same in every family

  auto operator<=>(const number_id&) const = default;
};

constexpr std::size_t case_columns = 6;
std::array<std::string_view, case_columns> texts_of(const case_id& id);

// The same number of the case, regardless of the experiment.
number_id without_experiment(number_id id);

// The case for display: "jacobi/table1 cuda_simple cuda:0 single 512x1024 matrix=neumann". Omits empty fields
// and, if there is an experiment, the variant's family.
std::string case_text(const case_id& id);

// Converts to and from columns of a CSV line, in the order of the members.
std::string csv_fields(const case_id& id);
std::string csv_fields(const number_id& id);
case_id case_in(std::span<const std::string> fields);
number_id number_in(std::span<const std::string> fields);

// The width in a size "512x1024", and its number of nodes. NaN if the size has another form.
double width_of(std::string_view size);
double nodes_of(std::string_view size);

// Whether `a` sorts before `b`, with numbers compared as numbers: "508x1024" before "1024x1024".
bool size_before(const std::string& a, const std::string& b);

// "cuda_simple" for "jacobi/cuda_simple": the name within the family.
std::string_view short_name(std::string_view id);
// "jacobi" for "jacobi/cuda_simple".
std::string_view family_of(std::string_view id);

}  // namespace reprise::reports

template <>
struct std::hash<reprise::reports::case_id> {
  std::size_t operator()(const reprise::reports::case_id& id) const noexcept;
};
template <>
struct std::hash<reprise::reports::number_id> {
  std::size_t operator()(const reprise::reports::number_id& id) const noexcept;
};
