// SPDX-License-Identifier: MIT
// A paper's claims as data, and the verdict on each with the rows that support it.
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

#include "reports/judging/quantity.hpp"
#include "reports/judging/selection.hpp"
#include "reports/store/row.hpp"

namespace reprise::reports {

// - invariant: must hold on any hardware: orders, errors, step counts
// - shape: who wins, slopes, crossovers: reproduced, or reported as different
// - absolute: milliseconds on hardware of the paper's time: shown, never judged
// - internal: consistency of the paper's own numbers
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

// ">1", "<=1.05", or "1.2..3", which includes both ends.
struct shape_condition {
  double low{-std::numeric_limits<double>::infinity()};
  double high{std::numeric_limits<double>::infinity()};
  bool excludes_low{}, excludes_high{};

  bool accepts(double measured) const;
};

struct claim {
  std::string id, place, text;
  claim_class kind{};
  quantity expression;
  double published{no_value};
  std::string unit;
  std::optional<tolerance> allowed;
  std::optional<shape_condition> shape;
  std::string reason;  // why this tolerance or shape was chosen
  csv::place at;
};

constexpr std::array<std::string_view, 10> claim_columns{
    "id", "place", "claim", "class", "quantity", "published", "unit", "tolerance", "shape", "reason"};

// Throws bad_input with file and line for a claim that cannot be judged.
std::vector<claim> read_claims(const std::filesystem::path& file);

struct judgement {
  verdict outcome{};
  double measured{no_value};
  std::vector<std::string> basis;  // "table1 cuda_shared@512x1024 cuda:0"
  std::vector<const row*> rows;    // the row of each entry of `basis`
  std::string reason;              // why it was not run; otherwise the claim's own reason
};

judgement judge(const claim& c, const evidence& known);

// The number of judgements with each verdict, zeros included.
std::map<verdict, std::size_t> count_verdicts(std::span<const judgement> judgements);

}  // namespace reprise::reports
