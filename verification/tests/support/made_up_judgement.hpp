// SPDX-License-Identifier: MIT
// Rows, runs and claims of tests, and how the claims are judged by the rows.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "reports/judging/judge.hpp"
#include "reports/store/csv.hpp"
#include "verification/tests/support/made_up_claims.hpp"

namespace reprise::testing::judging {

using reports::claim;
using reports::judgement;
using reports::row;
using reports::run;

inline row a_row(const std::string& experiment, const std::string& variant, const std::string& size,
                 double value, const std::string& device = "cuda:0") {
  row r;
  r.experiment = "jacobi/" + experiment;
  r.variant = variant.empty() ? "" : "jacobi/" + variant;
  r.device = device;
  r.size = size;
  r.metric = "time_1000_sweeps";
  r.value = value;
  r.unit = "s";
  r.status = "ok";
  return r;
}

inline row skipped(const std::string& variant, const std::string& reason) {
  auto r = a_row("table1", variant, "", reports::no_value, "");
  r.metric = "";
  r.status = "skipped";
  r.reason = reason;
  return r;
}

inline row with_metric(row r, const std::string& metric) {
  r.metric = metric;
  return r;
}

inline row published(row r) {
  r.status = "published";
  return r;
}

inline run a_run(std::vector<row> rows) {
  run r;
  *r.description = {{"name", "here"},
                    {"devices",
                     {{{"id", "cuda:0"}, {"name", "NVIDIA H200"}},
                      {{"id", "opencl:0"}, {"name", "pthread"}},
                      {{"id", "cpu"}, {"name", "EPYC"}}}}};
  r.rows = std::move(rows);
  return r;
}

inline row within(row r, double q1, double q3) {
  r.q1 = q1;
  r.q3 = q3;
  return r;
}

struct with {
  std::string kind{"shown"}, number{}, bound{}, partly{}, otherwise{};
};

inline claim a_claim(const std::string& quantity, const with& w = {}) {
  return claims_in("c,,Table 1,text," + w.kind + "," + reports::csv::field(quantity) + "," + w.number +
                   ",1," + w.bound + "," + w.partly + "," + w.otherwise + ",,because\n")
      .front();
}

inline claim a_conclusion(const std::string& quantity, const std::string& bound,
                          const std::string& number = "", const std::string& partly = "") {
  return a_claim(quantity, {"conclusion", number, bound, partly, "no longer"});
}

// Judges by one run and published rows.
inline judgement judged(const claim& c, const std::vector<row>& measured, const std::vector<row>& paper = {},
                        const std::vector<double>& roundings = {}) {
  const std::vector<run> runs{a_run(measured)};
  return reports::judge(c, {"jacobi", "time_1000_sweeps", runs, paper, roundings});
}

inline double measured_by(const std::string& quantity, const std::vector<row>& rows,
                          const std::vector<row>& paper = {}) {
  return judged(a_claim(quantity), rows, paper).measured.value;
}

inline const std::vector<row> three_rows{a_row("table1", "cuda_2d", "512x1024", 6),
                                         a_row("table2", "cuda_shared", "512x1024", 2),
                                         a_row("table2", "cuda_shared", "513x1024", 3)};
inline const std::string ratio = "{cuda_2d@512x1024} / {cuda_shared@512x1024}";

}  // namespace reprise::testing::judging
