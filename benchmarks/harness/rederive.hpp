// SPDX-License-Identifier: MIT
// Makes a run's derived rows again by the present rules, because rules change and recorded rows do not.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "reports/store/run.hpp"

namespace reprise::harness {

// Replaces the run's derived rows by those that today's program derives from its measured rows. A derived row that the
// present rule does not give becomes skipped, with a reason that says how to renew it. Returns a line for each
// experiment in which that happened. The same for measured rows of a metric whose definition has changed.
std::vector<std::string> rederive(reports::run& recorded);

// The versions of metrics that changed, by which a run is written: "atrium/curve_error": 2.
nlohmann::json metric_versions();

}  // namespace reprise::harness
