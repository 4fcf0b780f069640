// SPDX-License-Identifier: MIT
// The names of a run's files, and the versions of their form.
#pragma once

namespace reprise::reports {

constexpr int schema_version = 2;
// Runs of this schema are read, but not continued. They have no seal.
constexpr int unsealed_schema = 1;

// The version of report.json and fleet.json.
constexpr int report_schema = 1;

constexpr auto rows_name = "rows.csv";
constexpr auto samples_name = "samples.csv";
constexpr auto description_name = "run.json";
// What each case took. No result, so neither run.json nor the seal has it.
constexpr auto costs_name = "costs.csv";
constexpr auto seal_name = "seal.json";
constexpr auto fields_folder = "fields";
constexpr auto arrays_folder = "arrays";

}  // namespace reprise::reports
