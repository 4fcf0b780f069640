// SPDX-License-Identifier: MIT
// One case, from loading to rows: verify, time, verify again.
#pragma once

#include <string>
#include <vector>

#include "benchmarks/harness/experiment.hpp"
#include "benchmarks/harness/sampling.hpp"
#include "reports/row.hpp"

namespace reprise::harness {

struct measured_case {
  std::vector<reports::row> rows;
  std::vector<reports::sample> samples;
  std::vector<reports::field> fields;
  double seconds{};  // of the case's metric, where the status is ok
};

// The row that all rows of a case are copies of, but for metric, value and status.
reports::row case_row(const std::string& run, const std::string& experiment, const case_plan& plan,
                      const target& on);

// Never throws for what goes wrong in the case: that is a row. `label` is the row returned by case_row.
measured_case measure(const case_plan& plan, const target& on, preset level, sampler& engine,
                      const reports::row& label);

}  // namespace reprise::harness
