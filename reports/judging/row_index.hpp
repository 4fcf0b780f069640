// SPDX-License-Identifier: MIT
// An index of measured rows for the selectors of claims: hundreds of selectors look for rows among a million.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/store/row.hpp"
#include "reports/store/run.hpp"

namespace reprise::reports {

// A row that a selector may stand for. The first run has priority and, within it, the
// device listed first in run.json.
struct candidate {
  const row* data{};
  const run* from{};  // null for a published row
  std::size_t run_rank{};
  std::size_t device_rank{};
};

// The rows of runs, which must outlive it. Copies share the index.
class row_index {
 public:
  using device_filter = std::function<bool(const std::string& id)>;

  row_index(std::span<const run> runs = {});
  row_index(const std::vector<run>& runs) : row_index(std::span(runs)) {}
  // The same with the devices that `is_first` accepts before all others of their run.
  row_index(std::span<const run> runs, const device_filter& is_first);

  std::size_t runs() const;

  // The kind of the run's machine, as a number.
  std::size_t kind_of_machine(const run& of) const;
  // All kinds: those with a GPU before the others, each in the order of its first run.
  const std::vector<std::size_t>& kinds_of_machines() const;

  // The right rows of a family and metric, in the order of the runs and rows. A time of a GPU's code on a processor is none, since
  // it says nothing of GPUs. `variant` and `size` are
  // shell globs, `variant` within the family.
  std::vector<candidate> right(std::string_view family, std::string_view metric, const std::string& variant,
                               const std::string& size) const;
  // All other rows of a family, in the same order: skipped, failed and disturbed ones, and times of GPUs' code on processors.
  std::vector<candidate> without_number(std::string_view family, const std::string& variant) const;
  // Whether the row's case has a number of any metric in the row's run. If not, the case did not run.
  bool has_number(const candidate& of) const;

 private:
  struct contents;
  std::shared_ptr<const contents> contents_;
};

}  // namespace reprise::reports
