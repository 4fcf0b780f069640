// SPDX-License-Identifier: MIT
// A small generated run on disk.
#pragma once

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "reports/store/run.hpp"
#include "reports/store/run_folder.hpp"
#include "reports/store/seal.hpp"
#include "reports/store/sha256.hpp"
#include "reports/store/statistics.hpp"
#include "solvers/common/base/error.hpp"
#include "verification/tests/support/made_up_field.hpp"
#include "verification/tests/support/measured_rows.hpp"
#include "verification/tests/support/temporary_folder.hpp"

namespace reprise::testing {

using reports::row;
using reports::run_folder;
using reports::sample;

inline row timed_row(const std::string& size, double value) {
  row r = measured_row("jacobi/cuda_2d", size, "", "time_1000_sweeps", value);
  r.run = "a";
  r.experiment = "jacobi/table1";
  r.device = "cuda:0";
  r.precision = "single";
  r.unit = "s";
  r.q1 = r.q3 = value;
  r.samples = 2;
  return r;
}

inline std::vector<sample> samples_of(const row& r) {
  std::vector<sample> samples;
  for (int i = 0; i < 2; ++i) samples.push_back({r, r.run, i, r.value});
  return samples;
}

// The row with the median, the quartiles and the number of these samples.
inline row summarising(row r, const std::vector<sample>& samples) {
  std::vector<double> values;
  for (const auto& s : samples) values.push_back(s.value);
  if (values.empty()) return r;
  std::ranges::sort(values);
  r.value = reports::quantile(values, .5);
  r.q1 = reports::quantile(values, .25);
  r.q3 = reports::quantile(values, .75);
  r.samples = static_cast<int>(values.size());
  return r;
}

inline const nlohmann::json run_description = {
    {"name", "a"}, {"host", "here"}, {"devices", nlohmann::json::array()}};

inline void append(run_folder& folder, const std::string& size, double value) {
  const auto r = timed_row(size, value);
  folder.append(std::vector{r}, samples_of(r));
}

// Appends the same case with a field.
inline void append_with_field(run_folder& folder, const std::string& size, double value, int nodes = 5) {
  const auto r = timed_row(size, value);
  folder.append(std::vector{r}, samples_of(r), std::vector{field_of(r, "t=1", nodes, nodes)});
}

// Makes a run with two cases that has no end.
inline void make_run(const std::filesystem::path& path) {
  auto folder = run_folder::create(path, run_description);
  append(folder, "508x1024", 0.5);
  append(folder, "512x1024", 0.25);
}

// Makes the same run with its end and seal.
inline void make_finished_run(const std::filesystem::path& path) {
  make_run(path);
  run_folder::resume(path).finish("2026-01-31T12:00:00Z");
}

// Turns a run into one of the first schema, as an older program wrote it.
inline void make_unsealed(const std::filesystem::path& path) {
  auto document = nlohmann::json::parse(text_in(path / "run.json"));
  document["schema"] = reports::unsealed_schema;
  put(path / "run.json", document.dump());
  std::filesystem::remove(path / "seal.json");
}

// Sets a value in a run's run.json; the key is a JSON pointer.
inline void edit_description(const std::filesystem::path& folder, const char* key,
                             const nlohmann::json& value) {
  auto document = nlohmann::json::parse(text_in(folder / "run.json"));
  document[nlohmann::json::json_pointer(key)] = value;
  put(folder / "run.json", document.dump());
}

inline std::string hash_of(const std::string& text) {
  reports::sha256 hash;
  hash.update(text);
  return hash.hex();
}

// Makes the seal that fits to the run's files.
inline void reseal(const std::filesystem::path& folder) {
  const auto text = text_in(folder / "run.json");
  put(folder / "seal.json", reports::seal_text(text, nlohmann::json::parse(text)["files"]));
}

// The message with which read_run refuses the folder; empty if it accepts it.
inline std::string complaint_about(const std::filesystem::path& folder) {
  return complaint_of<bad_input>([&] { reports::read_run(folder); });
}

}  // namespace reprise::testing
