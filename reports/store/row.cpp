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

// Assigns a text. Neighbouring lines share most of theirs, and a comparison is cheaper than a look-up.
void assign(shared_text& to, const std::string& text) {
  if (to != text) to = text;
}

void assign(number_id& to, std::span<const std::string> fields) {
  std::size_t next = 0;
  for (auto* text :
       {&to.experiment, &to.variant, &to.device, &to.precision, &to.size, &to.parameter, &to.metric})
    assign(*text, fields[next++]);
}

// Overwrites the row, which may be the line before.
void read(row& r, const csv::record<row_columns.size()>& from, const csv::place& at) {
  const auto& f = from.fields;
  assign(r.run, f[0]);
  assign(r, std::span(f).subspan(1));
  r.value = csv::to_number(f[8], "value", at);
  assign(r.unit, f[9]);
  r.q1 = csv::to_number(f[10], "q1", at);
  r.q3 = csv::to_number(f[11], "q3", at);
  r.samples = csv::to_count(f[12], "samples", at);
  assign(r.status, f[13]);
  assign(r.reason, f[14]);
  if (!is_known_status(r.status))
    throw at.complaint(
        "status \"{}\" is none of ok, failed, skipped, published; correct it or restore the file", r.status);
}

void read(sample& s, const csv::record<sample_columns.size()>& from, const csv::place& at) {
  const auto& f = from.fields;
  assign(s.run, f[0]);
  assign(s, std::span(f).subspan(1));
  s.index = csv::to_count(f[8], "index", at);
  s.value = csv::to_number(f[9], "value", at);
}

template <class Record, std::size_t Columns>
std::vector<Record> records_in(const std::filesystem::path& file, std::string_view text,
                               const std::array<std::string_view, Columns>& columns) {
  std::vector<Record> records;
  records.reserve(static_cast<std::size_t>(std::ranges::count(text, '\n')));
  Record next{};
  csv::place at{file};
  csv::for_each<Columns>(file, text, columns, [&](const csv::record<Columns>& from) {
    at.line = from.line;
    read(next, from, at);
    records.push_back(next);
  });
  return records;
}

}  // namespace

bool is_known_status(std::string_view status) {
  constexpr std::array<std::string_view, 5> known{"ok", "failed", "skipped", "disturbed", "published"};
  return std::ranges::find(known, status) != known.end();
}

bool is_measured(const row& r) {
  return r.status == "ok" || r.status == "disturbed";
}

bool depends_on_time(std::string_view metric) {
  constexpr std::array<std::string_view, 17> beginnings{
      "time_",     "part_",          "bandwidth",   "device_bandwidth", "gflops",  "tflops",
      "share_of_", "rhs_time_share", "solve_share", "reduction_share",  "speedup", "efficiency",
      "slope_",    "crossover",      "spread",      "energy_solve",     "energy_1"};
  return std::ranges::any_of(beginnings, [&](std::string_view b) { return metric.starts_with(b); });
}

bool explains_better(const row* one, const row* other) {
  if (one == nullptr || other == nullptr) return one != nullptr;
  constexpr std::array<std::string_view, 3> best_first{"failed", "disturbed", "skipped"};
  const auto place = [&](const row* r) {
    return std::ranges::find(best_first, std::string_view(r->status.str()));
  };
  return place(one) < place(other);
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
  return records_in<row>(file, text, row_columns);
}

std::vector<sample> parse_samples(const std::filesystem::path& file, std::string_view text) {
  return records_in<sample>(file, text, sample_columns);
}

std::vector<row> read_rows(const std::filesystem::path& file) {
  return parse_rows(file, read_text(file));
}

}  // namespace reprise::reports
