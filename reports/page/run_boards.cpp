// SPDX-License-Identifier: MIT
// Gives boards of one name one place, whatever runs and ids they have.
#include "reports/page/run_boards.hpp"

#include <algorithm>

#include "reports/store/devices.hpp"

namespace reprise::reports {

run_boards::run_boards(std::span<const run> runs) {
  for (std::size_t i = 0; i < runs.size(); ++i) {
    std::vector<board> of_run;
    for (const auto& [id, name] : listed_devices(runs[i])) add_device(of_run, id, name);
    for (const auto& b : of_run)
      for (const auto& id : b.ids) place_of_[{i, id}] = place_of_name(b.name);
  }
}

std::optional<std::size_t> run_boards::find(std::size_t run_rank, const std::string& id) const {
  const auto known = place_of_.find({run_rank, id});
  return known == place_of_.end() ? std::nullopt : std::optional(known->second);
}

std::size_t run_boards::place_of_name(const std::string& name) {
  const auto known = std::ranges::find(names_, name);
  if (known != names_.end()) return static_cast<std::size_t>(known - names_.begin());
  names_.push_back(name);
  return names_.size() - 1;
}

}  // namespace reprise::reports
