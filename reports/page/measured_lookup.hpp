// SPDX-License-Identifier: MIT
// Finds the measured row that stands beside a printed cell.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "reports/page/printed_layout.hpp"
#include "reports/page/shown_rows.hpp"
#include "reports/store/run.hpp"

namespace reprise::reports {

class measured_lookup {
 public:
  struct found {
    const row* data{};
    std::string device;     // its name, without the run's
    std::string parameter;  // with its parts in alphabetical order
    std::size_t run_rank{}, device_rank{};
  };

  // Keeps the rows that one of the layouts asks for.
  measured_lookup(std::span<const printed_layout> layouts, std::span<const shown_row> rows,
                  std::span<const run> runs);

  // The rows that a selector may stand for, in the order of runs and devices.
  std::vector<const found*> matching(const row_key& selector) const;
  // The one that is nearest to the device, by the selector's order of preference; null if there is none.
  const found* nearest(const row_key& selector, const std::string& device) const;
  // Why there is none.
  std::string why_missing(const row_key& selector) const;

 private:
  using experiment_and_metric = std::pair<std::string, std::string>;

  std::map<experiment_and_metric, std::vector<found>> rows_;
  std::map<std::string, std::vector<found>> failures_;  // rows without a number, by experiment
  std::set<std::pair<std::size_t, std::string>> devices_of_runs_;
};

}  // namespace reprise::reports
