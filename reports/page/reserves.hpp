// SPDX-License-Identifier: MIT
// What a reader must know of the rows behind a number: that their run is unfinished, or that a time is of one sample.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "reports/store/run.hpp"

namespace reprise::reports {

class reserves {
 public:
  // The runs must outlive it.
  explicit reserves(std::span<const run> runs = {});

  // Each once. Rows are looked up by address; one of no run has none.
  std::vector<std::string> about(std::span<const row* const> rows) const;
  // The runs that rows belong to, each once, by their place among all.
  std::vector<std::size_t> runs_of(std::span<const row* const> rows) const;

 private:
  std::span<const run> runs_;
};

// Whether the row is a time of which one sample was taken.
bool is_single_time(const row& r);

}  // namespace reprise::reports
