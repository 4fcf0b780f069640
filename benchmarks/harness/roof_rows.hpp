// SPDX-License-Identifier: MIT
// A device's roofs as rows of an experiment of their own, as entries of run.json and as a line of text.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "benchmarks/harness/experiment.hpp"
#include "reports/row.hpp"

namespace reprise::harness {

// The row that all rows of a device's roofs are copies of, but for precision, metric, value and status.
reports::row roof_label(const std::string& run, const device& d);

struct recorded_roofs {
  std::vector<reports::row> rows;
  nlohmann::json described = nlohmann::json::array();  // of those that were measured
  std::string text;  // "copy 21.3 GB/s, read 24.9 GB/s, 102 GFLOP/s single, 51 GFLOP/s double"
  bool has_failures{};
};

// Measures what was not measured yet. Where `lost` says why the device is gone, each roof has that reason.
recorded_roofs record_roofs(const device& d, preset level, const reports::row& label,
                            const std::string& lost);

// A guess of the seconds that takes, for the ETA before any device's roofs were measured.
double expected_roof_seconds(preset level);

}  // namespace reprise::harness
