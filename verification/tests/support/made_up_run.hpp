// SPDX-License-Identifier: MIT
// A small generated run, and the published rows and layouts that go with it.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "reports/page/report.hpp"
#include "reports/store/layout.hpp"
#include "reports/store/row.hpp"
#include "reports/store/run.hpp"
#include "reports/store/run_folder.hpp"
#include "verification/tests/support/made_up_claims.hpp"
#include "verification/tests/support/measured_rows.hpp"
#include "verification/tests/support/temporary_folder.hpp"

namespace reprise::testing {

using reports::layout;
using reports::no_value;
using reports::row;
using reports::run;

inline row a_row(const std::string& experiment, const std::string& variant, const std::string& device,
                 const std::string& size, double value) {
  row r = measured_row("jacobi/" + variant, size, "", "time_1000_sweeps", value);
  r.run = "here";
  r.experiment = "jacobi/" + experiment;
  r.device = device;
  r.precision = "single";
  r.unit = "s";
  return r;
}

inline row published(row r) {
  r.run = "published";
  r.status = "published";
  return r;
}

inline row without_value(row r, const std::string& status, const std::string& reason) {
  r.value = no_value;
  r.unit = "";
  r.status = status;
  r.reason = reason;
  return r;
}

inline row with_metric(row r, const std::string& metric, const std::string& unit) {
  r.metric = metric;
  r.unit = unit;
  return r;
}

inline const nlohmann::json description = {
    {"name", "here"},
    {"host", "h"},
    {"devices", {{{"id", "cuda:0"}, {"name", "NVIDIA H200"}}, {{"id", "cpu"}, {"name", "EPYC"}}}}};

inline layout table1() {
  return {.id = "jacobi/table1",
          .title = "Table 1: 1000 sweeps",
          .note = "Sweeps only.",
          .metrics = {"time_1000_sweeps"}};
}

inline layout table3() {
  return {.id = "jacobi/table3",
          .title = "Table 3",
          .note = "Sweeps only.",
          .metrics = {"time_1000_sweeps", "speedup_over_cpu"}};
}

inline layout figure21(const std::string& x) {
  return {.id = "jacobi/fig21",
          .title = "Figure 21",
          .note = "Sweeps only.",
          .shape = layout::kind::figure,
          .metrics = {"time_1000_sweeps"},
          .x = x,
          .log_y = true};
}

inline const std::vector<row> paper_rows{
    published(a_row("table1", "cuda_2d", "PH 280", "508x1024", 0.42)),
    published(a_row("table1", "cuda_2d", "PH 280", "1024x1024", 0.9)),
    published(
        with_metric(a_row("table3", "cuda_2d", "PH 280", "1024x1024", 78.74), "speedup_over_cpu", "1"))};

inline const std::vector<row> measured_rows{
    a_row("table1", "cpu_interleaved", "cpu", "508x1024", 12),
    a_row("table1", "cuda_2d", "cuda:0", "508x1024", 0.0123456),
    without_value(a_row("table1", "cuda_2d", "cuda:0", "1024x1024", 0), "failed", "max error 3"),
    without_value(a_row("table1", "cuda_texture", "", "", 0), "skipped", "no CUDA device"),
    with_metric(a_row("table3", "cuda_slow", "cuda:0", "1024x1024", 3), "speedup_over_cpu", "1"),
    with_metric(a_row("table3", "cuda_2d", "cuda:0", "1024x1024", 972), "speedup_over_cpu", "1"),
    a_row("fig21", "cuda_2d", "cuda:0", "1024x1024", 2),
    a_row("fig21", "cuda_2d", "cuda:0", "512x1024", 1),
    a_row("fig21", "cpu_interleaved", "cpu", "512x1024", 9),
    without_value(a_row("fig21", "cuda_texture", "", "", 0), "skipped", "no CUDA device")};

inline run a_run(const std::vector<row>& rows, const std::string& name = "here") {
  run r;
  r.folder = name;
  r.description = description;
  (*r.description)["name"] = name;
  r.rows = rows;
  return r;
}

// A report request without runs, and the files that it needs in this folder. The report
// goes to its subfolder `out`.
inline reports::report_request request_below(const std::filesystem::path& folder, const std::string& claims,
                                             const std::string& assumptions) {
  std::filesystem::create_directory(folder / "published");
  std::filesystem::create_directory(folder / "claims");
  put(folder / "published/jacobi.csv", reports::row_header() + to_csv(paper_rows));
  put_claims(folder / "claims", claims);
  put(folder / "assumptions.md", assumptions);
  reports::report_request request;
  request.published_dir = folder / "published";
  request.claims_dir = folder / "claims";
  request.assumptions = folder / "assumptions.md";
  request.out = folder / "out";
  request.families = {{"jacobi", "Weighted Jacobi", {table1(), table3(), figure21("width")}}};
  return request;
}

}  // namespace reprise::testing
