// SPDX-License-Identifier: MIT
// Rows and samples as lines of CSV, there and back.
#include "reports/row.hpp"

#include <algorithm>

#include "reports/csv.hpp"
#include "reports/files.hpp"

namespace reprise::reports {
namespace {

template <std::size_t N>
std::string header(const std::array<std::string_view, N>& columns) {
  return csv::line(std::vector<std::string>(columns.begin(), columns.end()));
}

std::string line_of(const row& r) {
  return csv::line({csv::field(r.run), csv::field(r.experiment), csv::field(r.variant), csv::field(r.device),
                    csv::field(r.precision), csv::field(r.size), csv::field(r.parameter),
                    csv::field(r.metric), csv::number(r.value), csv::field(r.unit), csv::number(r.q1),
                    csv::number(r.q3), std::to_string(r.samples), csv::field(r.status),
                    csv::field(r.reason)});
}

std::string line_of(const sample& s) {
  return csv::line({csv::field(s.run), csv::field(s.experiment), csv::field(s.variant), csv::field(s.device),
                    csv::field(s.precision), csv::field(s.size), csv::field(s.parameter),
                    csv::field(s.metric), std::to_string(s.index), csv::number(s.value)});
}

template <class Record>
std::string lines_of(std::span<const Record> records) {
  std::string text;
  for (const auto& r : records) text += line_of(r);
  return text;
}

row to_row(const csv::record<row_columns.size()>& from, const csv::place& at) {
  const auto& f = from.fields;
  row r;
  r.run = f[0];
  r.experiment = f[1];
  r.variant = f[2];
  r.device = f[3];
  r.precision = f[4];
  r.size = f[5];
  r.parameter = f[6];
  r.metric = f[7];
  r.value = csv::to_number(f[8], "value", at);
  r.unit = f[9];
  r.q1 = csv::to_number(f[10], "q1", at);
  r.q3 = csv::to_number(f[11], "q3", at);
  r.samples = csv::to_count(f[12], "samples", at);
  r.status = f[13];
  r.reason = f[14];
  if (!is_known_status(r.status)) {
    throw at.complaint("status \"" + r.status +
                       "\" is none of ok, failed, skipped, published; correct it or restore the file");
  }
  return r;
}

sample to_sample(const csv::record<sample_columns.size()>& from, const csv::place& at) {
  const auto& f = from.fields;
  return {.run = f[0],
          .experiment = f[1],
          .variant = f[2],
          .device = f[3],
          .precision = f[4],
          .size = f[5],
          .parameter = f[6],
          .metric = f[7],
          .index = csv::to_count(f[8], "index", at),
          .value = csv::to_number(f[9], "value", at)};
}

}  // namespace

bool is_known_status(std::string_view status) {
  constexpr std::array<std::string_view, 4> known{"ok", "failed", "skipped", "published"};
  return std::find(known.begin(), known.end(), status) != known.end();
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

std::string_view short_name(std::string_view id) {
  const auto slash = id.find('/');
  return slash == std::string_view::npos ? id : id.substr(slash + 1);
}

std::string_view family_of(std::string_view id) {
  return id.substr(0, id.find('/'));
}

}  // namespace reprise::reports
