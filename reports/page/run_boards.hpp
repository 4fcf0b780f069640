// SPDX-License-Identifier: MIT
// The boards and processors of several runs, each once.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "reports/store/run.hpp"

namespace reprise::reports {

class run_boards {
 public:
  explicit run_boards(std::span<const run> runs);

  const std::vector<std::string>& names() const { return names_; }
  // The place of a run's device among the names; nothing for an id that the run does not list.
  std::optional<std::size_t> find(std::size_t run_rank, const std::string& id) const;

 private:
  std::size_t place_of_name(const std::string& name);

  std::vector<std::string> names_;
  std::map<std::pair<std::size_t, std::string>, std::size_t> place_of_;
};

}  // namespace reprise::reports
