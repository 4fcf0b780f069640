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
    bool has_reserve{};  // its run is unfinished, not sealed, or of changed sources
  };

  // Keeps the rows that one of the layouts asks for.
  measured_lookup(std::span<const printed_layout> layouts, std::span<const shown_row> rows,
                  std::span<const run> runs);

  // The rows that a selector may stand for, in the order of runs and devices.
  std::vector<const found*> matching(const row_key& selector) const;
  // The one that is nearest to the device, of the paper's own runs, by the selector's order of preference, and then of a run
  // without reserve; null if there is none.
  const found* nearest(const row_key& selector, const std::string& device) const;
  // The one to compare the other with: from its run, and on its device, where there is one.
  const found* beside(const row_key& selector, const found& other) const;
  // The numbers of the same case and metric on a device of the same name from other runs.
  std::vector<const found*> in_other_runs(const row_key& selector, const found& of) const;
  // How the row differs from the one that the selector prefers: "40962 in place of 163842".
  std::vector<std::string> deviations(const row_key& selector, const found& of,
                                      const variant_names& names) const;
  // Why there is none.
  std::string why_missing(const row_key& selector) const;

 private:
  using experiment_and_metric = std::pair<std::string, std::string>;

  std::map<experiment_and_metric, std::vector<found>> rows_;
  std::map<std::string, std::vector<found>> failures_;  // rows without a number, by experiment
  std::set<std::pair<std::size_t, std::string>> devices_of_runs_;
  std::set<std::size_t> own_runs_;  // that measured more for these layouts than roofs
};

}  // namespace reprise::reports
