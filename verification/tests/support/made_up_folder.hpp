// SPDX-License-Identifier: MIT
// A small generated run on disk.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "reports/store/run.hpp"
#include "reports/store/run_folder.hpp"
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
  r.samples = 2;
  return r;
}

inline std::vector<sample> samples_of(const row& r) {
  std::vector<sample> samples;
  for (int i = 0; i < 2; ++i) samples.push_back({r, r.run, i, r.value + 0.001 * i});
  return samples;
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

// Makes a finished run with two cases.
inline void make_run(const std::filesystem::path& path) {
  auto folder = run_folder::create(path, run_description);
  append(folder, "508x1024", 0.5);
  append(folder, "512x1024", 0.25);
}

// Sets a value in a run's run.json; the key is a JSON pointer.
inline void edit_description(const std::filesystem::path& folder, const char* key,
                             const nlohmann::json& value) {
  auto document = nlohmann::json::parse(text_in(folder / "run.json"));
  document[nlohmann::json::json_pointer(key)] = value;
  put(folder / "run.json", document.dump());
}

// The message with which read_run refuses the folder; empty if it accepts it.
inline std::string complaint_about(const std::filesystem::path& folder) {
  return complaint_of<bad_input>([&] { reports::read_run(folder); });
}

}  // namespace reprise::testing
