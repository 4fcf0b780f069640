// SPDX-License-Identifier: MIT
// A row is one measured number, tidy. rows.csv and reference/published/*.csv share its columns, so that the
// hardware of a paper is simply another device.
#pragma once

#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace reprise::reports {

constexpr double no_value = std::numeric_limits<double>::quiet_NaN();

struct row {
  std::string run;         // the run's name, "published" for a paper's number
  std::string experiment;  // "jacobi/table1"
  std::string variant;     // "jacobi/cuda_simple"
  std::string device;      // "cuda:0"; the board's name for a paper's number
  std::string precision;   // "single", "double"
  std::string size;        // "512x1024"
  std::string parameter;   // whatever else tells two rows apart: "matrix=neumann"
  std::string metric;  // "time_1000_sweeps"; "speedup_..." and "share_of_..." mean the same in every family
  double value{no_value};  // an empty field where there is none
  std::string unit;        // "s"
  double q1{no_value};
  double q3{no_value};
  int samples{};
  std::string status;  // ok, failed (wrong answer), skipped (cannot run here), published
  std::string reason;  // why it failed or was skipped; a note on how it was measured; the place in the paper
};

constexpr std::array<std::string_view, 15> row_columns{"run",  "experiment", "variant", "device", "precision",
                                                       "size", "parameter",  "metric",  "value",  "unit",
                                                       "q1",   "q3",         "samples", "status", "reason"};

// One raw timing behind a row's median.
struct sample {
  std::string run, experiment, variant, device, precision, size, parameter, metric;
  int index{};
  double value{};
};

constexpr std::array<std::string_view, 10> sample_columns{
    "run", "experiment", "variant", "device", "precision", "size", "parameter", "metric", "index", "value"};

bool is_known_status(std::string_view status);

// As lines of CSV, without the line that names the columns.
std::string to_csv(std::span<const row> rows);
std::string to_csv(std::span<const sample> samples);

// The line that names the columns.
std::string row_header();
std::string sample_header();

// Reads CSV with these columns. `file` is for messages: bad_input names it and the line.
std::vector<row> parse_rows(const std::filesystem::path& file, std::string_view text);
std::vector<sample> parse_samples(const std::filesystem::path& file, std::string_view text);

// Reads a CSV file with the columns of `row`: a paper's published numbers.
std::vector<row> read_rows(const std::filesystem::path& file);

// "cuda_simple" of "jacobi/cuda_simple": what a reader needs where the family is known.
std::string_view short_name(std::string_view id);
// "jacobi" of "jacobi/cuda_simple".
std::string_view family_of(std::string_view id);

}  // namespace reprise::reports
