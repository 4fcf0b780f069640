// SPDX-License-Identifier: MIT
// Reads and checks a run's folder, for reports and for continuing the run.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "reports/store/field.hpp"
#include "reports/store/file_record.hpp"
#include "reports/store/json.hpp"
#include "reports/store/row.hpp"
#include "reports/store/run_files.hpp"

namespace reprise::reports {

// The key of a field's file in run.json, which is its path below the run's folder.
std::string field_path(const std::string& file_name);
// The same of an array's file.
std::string array_path(const std::string& file_name);

struct run {
  std::filesystem::path folder{};
  document description{};  // run.json without the keys "schema" and "files"
  std::vector<row> rows{};
  std::vector<sample> samples{};
  std::vector<field> fields{};          // of cases that have rows
  bool is_sealed{};                     // finished, and its seal holds
  std::vector<std::string> warnings{};  // "interrupted: the last line was incomplete and is left out"
};

// A run with the contents of its files.
struct run_contents : run {
  int schema{};
  std::string rows_text;  // complete lines only
  std::string samples_text;
  std::ptrdiff_t samples_recorded{};                   // bytes of samples that run.json records
  std::map<std::string, file_record> field_records;    // of fields and arrays, by path below the folder
  std::map<std::string, file_record> recorded_fields;  // all of run.json, also those of cases without rows
};

// Throws bad_input if the folder does not exist or holds no run.json.
void require_run_folder(const std::filesystem::path& folder);

// Reads and checks a run. Throws bad_input with one line that names the damage: a missing file, truncation,
// an edit (the hash differs), another schema version, wrong columns, or a field that is not a number. Times of which too many
// samples were left out are disturbed, whatever the program that wrote them made of that.
run read_run(const std::filesystem::path& folder);
run_contents read_contents(const std::filesystem::path& folder);

// The name of the run's folder, by which a reader finds it; without a folder the name in its description.
std::string name_of(const run& r);

// Whether the run reached its end.
bool is_finished(const run& r);

// Whether the program that made it was built from sources that no commit holds.
bool has_changed_sources(const run& r);

// What a reader must know before the numbers, a line each: the run is unfinished, its program was built from changed
// sources, it is not sealed. Empty for a run that can be evidence without reserve.
std::vector<std::string> reservations_about(const run& r);

// Those of them that speak against the numbers themselves: unfinished, changed sources.
std::vector<std::string> grave_reservations_about(const run& r);

// An entry of the description's "request", which records how the run was started; null if it is missing.
const nlohmann::json& requested(const run& r, const std::string& key);

// Whether the experiment matches the globs that the run was started with.
bool was_requested(const run& r, const std::string& experiment);

}  // namespace reprise::reports
