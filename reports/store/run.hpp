// SPDX-License-Identifier: MIT
// Reads and checks a run's folder, for reports and for continuing the run.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "reports/store/field.hpp"
#include "reports/store/json.hpp"
#include "reports/store/row.hpp"

namespace reprise::reports {

constexpr int schema_version = 1;
constexpr auto rows_name = "rows.csv";
constexpr auto samples_name = "samples.csv";
constexpr auto description_name = "run.json";
constexpr auto fields_folder = "fields";

// The key of a field's file in run.json, which is its path below the run's folder.
std::string field_path(const std::string& file_name);

// What run.json records about a file.
struct file_record {
  std::size_t bytes{};
  std::string sha256;
  std::size_t announced{};  // length of rows.csv after an append that was about to start; 0 if there was none
};

struct run {
  std::filesystem::path folder{};
  document description{};  // run.json without the keys "schema" and "files"
  std::vector<row> rows{};
  std::vector<sample> samples{};
  std::vector<field> fields{};          // of cases that have rows
  std::vector<std::string> warnings{};  // "interrupted: the last line was incomplete and is left out"
};

// A run with the contents of its files.
struct run_contents : run {
  std::string rows_text;  // complete lines only
  std::string samples_text;
  std::ptrdiff_t samples_recorded{};                 // bytes of samples that run.json records
  std::map<std::string, file_record> field_records;  // by path below the folder
};

// Throws bad_input if the folder does not exist or holds no run.json.
void require_run_folder(const std::filesystem::path& folder);

// Reads and checks a run. Throws bad_input with one line that names the damage: a missing file, truncation,
// an edit (the hash differs), another schema version, wrong columns, or a field that is not a number.
run read_run(const std::filesystem::path& folder);
run_contents read_contents(const std::filesystem::path& folder);

// The run's name in its description, or else the name of its folder.
std::string name_of(const run& r);

// Whether the run reached its end.
bool is_finished(const run& r);

// An entry of the description's "request", which records how the run was started; null if it is missing.
const nlohmann::json& requested(const run& r, const std::string& key);

// Whether the experiment matches the globs that the run was started with.
bool was_requested(const run& r, const std::string& experiment);

}  // namespace reprise::reports
