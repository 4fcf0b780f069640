// SPDX-License-Identifier: MIT
// Measures one case: verify, time, verify again.
#pragma once

#include <string>
#include <vector>

#include "benchmarks/harness/experiment.hpp"
#include "benchmarks/harness/sampling.hpp"
#include "benchmarks/harness/time_limit.hpp"
#include "reports/store/row.hpp"

namespace reprise::harness {

struct measured_case {
  std::vector<reports::row> rows;
  std::vector<reports::sample> samples;
  std::vector<reports::field> fields;
  double seconds{};  // median time of the case's metric; 0 unless the status is ok
};

// The row from which all rows of a case are copied; only metric, value and status are missing.
reports::row case_row(const std::string& run, const std::string& experiment, const case_plan& plan,
                      const target& on);

// Why the case takes too long for the preset on this device; empty if it does not.
std::string why_not_affordable(const case_plan& plan, const device& on, preset level);

// Throws unavailable if the case with its checks does not fit into memory.
void require_memory(const case_plan& plan, const device& on);

// Does not throw if the case fails: the failure becomes a row. `label` is the row returned by case_row. A case that reaches
// its time limit has fewer samples, or none and is skipped; its rows say so. Its answer is checked all the same.
measured_case measure(const case_plan& plan, const target& on, preset level, sampler& engine,
                      const reports::row& label, time_limit limit = {});

}  // namespace reprise::harness
