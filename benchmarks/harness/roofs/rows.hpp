// SPDX-License-Identifier: MIT
// A device's roofs as rows of their own experiment, as entries of run.json and as a line of text.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "benchmarks/harness/experiment.hpp"
#include "reports/store/row.hpp"

namespace reprise::harness {

// The row from which all rows of a device's roofs are copied; only precision, metric,
// value and status are missing.
reports::row roof_label(const std::string& run, const device& d);

struct recorded_roofs {
  std::vector<reports::row> rows;
  nlohmann::json described = nlohmann::json::array();  // those that were measured, for run.json
  std::string text;  // "copy 21.3 GB/s, read 24.9 GB/s, 102 GFLOP/s single, 51 GFLOP/s double, launch 1.4 us"
  bool has_failures{};
};

// Measures the roofs that are not known yet. If `lost` says why the device is gone, every
// roof is skipped for that reason.
recorded_roofs record_roofs(const device& d, preset level, const reports::row& label,
                            const std::string& lost);

// Rough estimate in seconds, for the ETA before any device's roofs are measured.
double expected_roof_seconds(preset level);

}  // namespace reprise::harness
