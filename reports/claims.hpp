// SPDX-License-Identifier: MIT
// A paper's claims as data, and the verdict on each of them with the rows that it rests on.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/quantity.hpp"
#include "reports/row.hpp"
#include "reports/selection.hpp"

namespace reprise::reports {

// invariant  must hold on any hardware: orders, errors, step counts
// shape      who wins, slopes, crossovers: must hold, or be reported as no longer true
// absolute   milliseconds on dead hardware: shown, never judged
// internal   the paper's own numbers against each other
enum class claim_class { invariant, shape, absolute, internal };
std::string_view to_string(claim_class c);

enum class verdict { reproduced, same_shape, differs, paper_conflict, not_run_here, shown };
constexpr std::array<verdict, 6> all_verdicts{verdict::reproduced,   verdict::same_shape,
                                              verdict::differs,      verdict::paper_conflict,
                                              verdict::not_run_here, verdict::shown};
std::string_view to_string(verdict v);  // "same shape"

// "5%" of the published number, or "0.01" in its unit.
struct tolerance {
  double amount{};
  bool is_relative{};

  bool accepts(double measured, double published) const;
};

// ">1", "<=1.05", or "1.2..3" with both ends in it.
struct shape_condition {
  double low{-std::numeric_limits<double>::infinity()};
  double high{std::numeric_limits<double>::infinity()};
  bool excludes_low{}, excludes_high{};

  bool accepts(double measured) const;
};

struct claim {
  std::string id, place, text;
  claim_class kind{};
  std::string quantity_text;
  quantity what;
  double published{no_value};
  std::string unit;
  std::optional<tolerance> allowed;
  std::optional<shape_condition> shape;
  std::string reason;  // why this tolerance or shape
  csv::place at;
};

constexpr std::array<std::string_view, 10> claim_columns{
    "id", "place", "claim", "class", "quantity", "published", "unit", "tolerance", "shape", "reason"};

// Throws bad_input with file and line for anything that a verdict could not be based on.
std::vector<claim> read_claims(const std::filesystem::path& file);

struct judgement {
  verdict outcome{};
  double measured{no_value};
  std::vector<std::string> basis;  // "table1 cuda_shared@512x1024 cuda:0"
  std::vector<const row*> rows;    // what each of these names
  std::string reason;              // why it was not run; else the claim's own reason
};

judgement judge(const claim& c, const evidence& known);

// How many there are of each verdict, with those that there are none of.
std::map<verdict, std::size_t> count_verdicts(std::span<const judgement> judgements);

}  // namespace reprise::reports
