// SPDX-License-Identifier: MIT
// A run's folder: rows.csv and samples.csv, appended to row by row, fields/, a file for each field, and
// run.json, which says everything about the machine and how long and how hashed the files were when it was
// last written. It survives a kill at any moment.
#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "reports/field.hpp"
#include "reports/row.hpp"

namespace reprise::reports {

constexpr int schema_version = 1;

// run.json is the description with two keys of our own: "schema", and "files", which holds for rows.csv and
// samples.csv the length in bytes and the SHA-256 of what was in them when run.json was written, and the same
// for each "fields/NAME.csv" if there are any.
//
// Before rows are written, "announced" beside their length says how long they will be: a case of which a kill
// left some rows only is not there.
//
// While a run_folder is open, a lock keeps a second process out. Failures to write throw reprise::error with
// the file and the system's reason; what was written stays valid, and rows() has the rows that made it.
class run_folder {
 public:
  // Makes the folder and writes run.json. Throws bad_input where the folder exists and is not empty, or
  // cannot be written.
  static run_folder create(const std::filesystem::path& folder, nlohmann::json description);

  // Opens an interrupted run: checks it like read_run, drops a half-written last line, keeps every whole row.
  // Samples and fields of a case whose rows were never written are dropped too, because that case will be
  // measured again.
  static run_folder resume(const std::filesystem::path& folder);

  run_folder(run_folder&&) noexcept;
  run_folder& operator=(run_folder&&) noexcept;
  ~run_folder();

  // One case's rows, samples and fields: written, fsynced, and run.json brought up to date by an atomic
  // rename. A field is thinned to most_shown_nodes a side. It must belong to the case of one of the rows,
  // have no flaw (see flaw_of) and not be recorded already: anything else is the caller's mistake, throws
  // error and writes nothing.
  void append(std::span<const row> rows, std::span<const sample> samples, std::span<const field> fields = {});

  // Merges changes into the description (roofs measured, finished ...): objects merge, null removes a key,
  // "schema" and "files" stay ours.
  void describe(const nlohmann::json& changes);

  const nlohmann::json& description() const;
  const std::vector<row>& rows() const;  // those found by resume and those appended since
  const std::filesystem::path& path() const;

 private:
  struct state;
  explicit run_folder(std::unique_ptr<state> s);
  std::unique_ptr<state> state_;
};

struct run {
  std::filesystem::path folder;
  nlohmann::json description;
  std::vector<row> rows;
  std::vector<sample> samples;
  std::vector<field> fields;
  std::vector<std::string> warnings;  // "interrupted: the last line was incomplete and is left out"
};

// Reads and checks a run. Throws bad_input with one line for each kind of damage: a missing file, truncation,
// an edit (the hash differs), another schema version, wrong columns, a field that is not a number.
run read_run(const std::filesystem::path& folder);

// What the description calls the run, or else the folder's name.
std::string name_of(const run& r);

// A text from a description: empty where the key is missing or is not a text.
std::string text_of(const nlohmann::json& object, const std::string& key);

}  // namespace reprise::reports
