// SPDX-License-Identifier: MIT
// What a reader must know of the rows behind a number: that their run is unfinished, that a time is of one sample, or that a
// case is not the paper's.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "reports/store/run.hpp"

namespace reprise::reports {

class reserves {
 public:
  // Both must outlive it. `published` are the paper's rows; without them sizes are not compared.
  explicit reserves(std::span<const run> runs = {}, std::span<const row> published = {});

  // Each once. Rows are looked up by address; one of no run has none.
  std::vector<std::string> about(std::span<const row* const> rows) const;
  // The runs that rows belong to, each once, by their place among all.
  std::vector<std::size_t> runs_of(std::span<const row* const> rows) const;

 private:
  // "measured at 40962, where the paper has 163842"; empty if the paper has this size or none.
  std::string other_size(const row& r) const;

  std::span<const run> runs_;
  std::span<const row> published_;
};

// Whether the row is a time of which one sample was taken.
bool is_single_time(const row& r);

}  // namespace reprise::reports
