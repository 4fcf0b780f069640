// SPDX-License-Identifier: MIT
// All that is known of a fleet, and what it looks like: text for a terminal, CSV, and JSON, from which its
// page is made.
#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "reports/comparison_text.hpp"
#include "reports/fleet.hpp"
#include "reports/fleet_speed.hpp"

namespace reprise::reports {

struct fleet_report {
  fleet of;
  std::vector<node_speed> speeds;
  std::vector<std::filesystem::path> never_begun;  // empty folders beside those of runs

  bool has_wrong() const;
  bool has_slower() const;
  bool is_incomplete() const;

  std::vector<const node_speed*> speeds_of(std::size_t node) const;

  // "wrong", "incomplete", "slower", "faster"; "good" or "not compared" where it is none of them.
  std::vector<std::string> states_of(std::size_t node) const;
};

// "3 of jacobi/table4, 1 of tissue/order"
std::string missing_text(const interruption& i);

// The case of a row with a wrong answer.
std::string case_text(const row& r);

// What a reader has to act on first: wrong answers, runs that died, slow nodes with their evidence.
std::string to_text(const fleet_report& report);

std::string nodes_csv(const fleet_report& report);    // a line for each node
std::string timings_csv(const fleet_report& report);  // for each timing that was compared
std::string medians_csv(const fleet_report& report);  // for each number of each node that counts

// `types` compares the types of nodes with each other.
nlohmann::json to_json(const fleet_report& report, std::span<const named_grid> types);

}  // namespace reprise::reports
