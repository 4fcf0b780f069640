// SPDX-License-Identifier: MIT
// Reads and writes rows and samples as lines of CSV.
#include "reports/store/row.hpp"

#include <algorithm>

#include "reports/store/csv.hpp"
#include "reports/store/files.hpp"

namespace reprise::reports {
namespace {

template <std::size_t N>
std::string header(const std::array<std::string_view, N>& columns) {
  return csv::line(std::vector<std::string>(columns.begin(), columns.end()));
}

std::string line_of(const row& r) {
  return csv::field(r.run) + ',' + csv_fields(r) + ',' +
         csv::fields(r.value, r.unit, r.q1, r.q3, r.samples, r.status, r.reason);
}

std::string line_of(const sample& s) {
  return csv::field(s.run) + ',' + csv_fields(s) + ',' + csv::fields(s.index, s.value);
}

template <class Record>
std::string lines_of(std::span<const Record> records) {
  std::string text;
  for (const auto& r : records) text += line_of(r);
  return text;
}

row to_row(const csv::record<row_columns.size()>& from, const csv::place& at) {
  const auto& f = from.fields;
  row r{number_in(std::span(f).subspan(1)), f[0]};
  r.value = csv::to_number(f[8], "value", at);
  r.unit = f[9];
  r.q1 = csv::to_number(f[10], "q1", at);
  r.q3 = csv::to_number(f[11], "q3", at);
  r.samples = csv::to_count(f[12], "samples", at);
  r.status = f[13];
  r.reason = f[14];
  if (!is_known_status(r.status))
    throw at.complaint(
        "status \"{}\" is none of ok, failed, skipped, published; correct it or restore the file", r.status);
  return r;
}

sample to_sample(const csv::record<sample_columns.size()>& from, const csv::place& at) {
  const auto& f = from.fields;
  return {number_in(std::span(f).subspan(1)), f[0], csv::to_count(f[8], "index", at),
          csv::to_number(f[9], "value", at)};
}

}  // namespace

bool is_known_status(std::string_view status) {
  constexpr std::array<std::string_view, 5> known{"ok", "failed", "skipped", "disturbed", "published"};
  return std::ranges::find(known, status) != known.end();
}

std::string to_csv(std::span<const row> rows) {
  return lines_of(rows);
}

std::string to_csv(std::span<const sample> samples) {
  return lines_of(samples);
}

std::string row_header() {
  return header(row_columns);
}

std::string sample_header() {
  return header(sample_columns);
}

std::vector<row> parse_rows(const std::filesystem::path& file, std::string_view text) {
  std::vector<row> rows;
  for (const auto& r : csv::parse(file, text, row_columns)) rows.push_back(to_row(r, {file, r.line}));
  return rows;
}

std::vector<sample> parse_samples(const std::filesystem::path& file, std::string_view text) {
  std::vector<sample> samples;
  for (const auto& r : csv::parse(file, text, sample_columns)) {
    samples.push_back(to_sample(r, {file, r.line}));
  }
  return samples;
}

std::vector<row> read_rows(const std::filesystem::path& file) {
  return parse_rows(file, read_text(file));
}

}  // namespace reprise::reports
