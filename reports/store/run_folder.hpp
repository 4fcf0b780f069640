// SPDX-License-Identifier: MIT
// A run's folder: rows.csv and samples.csv, which grow case by case; fields/ with one file per
// field; and run.json, which describes the machine and records lengths and hashes of the files. It
// survives a kill at any moment.
#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <vector>

#include "reports/store/field.hpp"
#include "reports/store/row.hpp"

namespace reprise::reports {

// run.json is the description with two additional keys: "schema" and "files". "files" records for
// rows.csv and samples.csv their length in bytes and SHA-256 at the time when run.json was written, and
// the same for each "fields/NAME.csv".
//
// Before rows are written, "announced" and "announced_sha256" beside their length record length and hash after the
// append. A case of which a kill left only some rows is dropped; other rows are refused.
//
// finish() writes seal.json, see seal.hpp.
//
// While a run_folder is open, a lock keeps other processes out. Failures to write throw
// reprise::error with the file and the system's reason. What was written before stays valid, and
// rows() returns the rows that were written.
class run_folder {
 public:
  // Creates the folder and writes run.json. Throws bad_input if the folder is not empty or cannot be written.
  static run_folder create(const std::filesystem::path& folder, nlohmann::json description);

  // Opens an interrupted run, or a finished one only to be read: checks it like read_run, drops an incomplete last
  // line and keeps all complete rows. Throws bad_input for an interrupted run of an older schema. Samples and fields of a case whose rows were never written are dropped too, because
  // that case will be measured again.
  static run_folder resume(const std::filesystem::path& folder);

  run_folder(run_folder&&) noexcept;
  run_folder& operator=(run_folder&&) noexcept;
  ~run_folder();

  // Appends one case's rows, samples and fields: writes and fsyncs them, and updates run.json by an atomic
  // rename. A field is thinned to most_shown_nodes per side. It must belong to the case of one of the rows,
  // have no flaw (see flaw_of) and not be recorded already. Neither may the numbers of the rows, whose values must be
  // possible and follow from their samples. Otherwise this throws error, as a mistake of the caller, and writes
  // nothing.
  void append(std::span<const row> rows, std::span<const sample> samples, std::span<const field> fields = {});

  // Merges changes into the description (measured roofs, finish time, ...) as a JSON merge patch: objects are
  // merged, null removes a key. "schema" and "files" cannot be changed.
  void describe(const nlohmann::json& changes);

  // Records the time of the end and seals the run: nothing can be appended or described any more.
  void finish(const std::string& when);
  bool is_finished() const;

  const nlohmann::json& description() const;
  const std::vector<row>& rows() const;  // those found by resume and those appended since
  const std::filesystem::path& path() const;

 private:
  struct state;
  explicit run_folder(std::unique_ptr<state> s);
  std::unique_ptr<state> state_;
};

}  // namespace reprise::reports
