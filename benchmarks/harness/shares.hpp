// SPDX-License-Identifier: MIT
// What timed work asks of a device, set against the roofs that were measured there in the same run: which of them binds.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "benchmarks/harness/experiment.hpp"
#include "reports/store/row.hpp"

namespace reprise::harness {

// Relative error of a measured rate: a rate is impossible only if it exceeds its limit by more.
constexpr double measurement_error = .03;

struct demand {
  double seconds{};  // that the work took
  double bytes{};    // compulsory traffic to memory
  double bytes_shared{};
  double flops{};
  double functions{};
  double launches{};
  double exchanges{};
  precision arithmetic{};
  std::size_t footprint_bytes{};
};

demand demand_of(const accounted& did, const case_plan& plan, double launches, double seconds);

struct roof_shares {
  std::vector<reports::row> rows;
  std::string disturbed;  // what disturbed a roof that the work seems to exceed; empty if nothing did
};

// Rows of the shares of single roofs and of the one that binds. No row has more than 100 %: where a roof is no ceiling for
// this work, its row says so, and it does not bind. Throws error if the work seems to be faster than a ceiling allows,
// after that was measured again; in smoke, whose few short samples say nothing of speed where other work disturbs them,
// the rows are skipped for that reason. So are those of a roof that other work disturbed whenever it was measured.
roof_shares share_rows(const reports::row& label, const demand& asked, const device& on, preset level);

}  // namespace reprise::harness
