// SPDX-License-Identifier: MIT
// A row is one measured number. rows.csv and reference/published/*.csv have the same columns, so that the
// paper's hardware is just another device.
#pragma once

#include <array>
#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/store/case_id.hpp"

namespace reprise::reports {

constexpr double no_value = std::numeric_limits<double>::quiet_NaN();

struct row : number_id {
  shared_text run;         // the run's name, "published" for a paper's number
  double value{no_value};  // an empty field if missing
  shared_text unit{};      // "s"
  double q1{no_value};
  double q3{no_value};
  int samples{};
  shared_text status{};  // ok, failed (wrong answer), skipped (cannot run here), disturbed, published
  // Why it failed or was skipped; a note on how it was measured; the place in the paper.
  shared_text reason{};

  bool operator==(const row&) const = delete;  // rows of the same case may differ: use same_case
};

constexpr std::array<std::string_view, 15> row_columns{"run",  "experiment", "variant", "device", "precision",
                                                       "size", "parameter",  "metric",  "value",  "unit",
                                                       "q1",   "q3",         "samples", "status", "reason"};

// One raw timing behind a row's median.
struct sample : number_id {
  shared_text run;
  int index{};
  double value{};

  bool operator==(const sample&) const = delete;
};

constexpr std::array<std::string_view, 10> sample_columns{
    "run", "experiment", "variant", "device", "precision", "size", "parameter", "metric", "index", "value"};

bool is_known_status(std::string_view status);

// Whether something was measured, disturbed or not.
bool is_measured(const row& r);

// Whether a number of this metric would be another one on a faster device.
bool depends_on_time(std::string_view metric);

// Whether `one` explains better than `other` why a number is missing: a wrong answer best, then a disturbed time. A case that
// another run left out says least, and no row nothing.
bool explains_better(const row* one, const row* other);

// Formats CSV lines, without the header line.
std::string to_csv(std::span<const row> rows);
std::string to_csv(std::span<const sample> samples);

// The header line with the names of the columns.
std::string row_header();
std::string sample_header();

// Parses CSV with these columns. `file` is only for messages: bad_input names it and the line.
std::vector<row> parse_rows(const std::filesystem::path& file, std::string_view text);
std::vector<sample> parse_samples(const std::filesystem::path& file, std::string_view text);

// Reads a CSV file with the columns of `row`: a paper's published numbers.
std::vector<row> read_rows(const std::filesystem::path& file);

}  // namespace reprise::reports
