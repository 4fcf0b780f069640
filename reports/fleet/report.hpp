// SPDX-License-Identifier: MIT
// Finds nodes that are slower than others of their type: on which device, in how many timings, and in which
// most. Summarises the state of each node in a word or two.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "reports/compare/noise.hpp"
#include "reports/compare/speed.hpp"
#include "reports/fleet/fleet.hpp"

namespace reprise::reports {

// If two nodes differ, neither can be called the usual one.
constexpr std::size_t fewest_alike = 3;

// A node counts as slower or faster on a device if at least this share of its timings is: on shared machines
// one odd timing in a hundred is normal.
constexpr double least_share = .1;

// The timings of a node on one device, each compared with the middle node of its type.
struct node_speed {
  std::size_t node{};
  std::string device;
  std::vector<speed_result> timings{};  // largest excess over the floor first
  double middle{};                      // median shift, as a logarithm

  std::size_t count(speed_change v) const;
  speed_change change() const;  // slower, faster or same
};

// In the order of the nodes. A timing is compared if at least three nodes of the type
// without wrong answers have it.
std::vector<node_speed> compare_nodes(const fleet& of, std::span<const case_noise> noise);

struct fleet_report {
  fleet of;
  std::vector<node_speed> speeds;
  std::vector<std::filesystem::path> never_begun;  // empty folders beside those of runs

  bool has_wrong() const;
  bool has_slower() const;
  bool is_incomplete() const;

  std::vector<const node_speed*> speeds_of(std::size_t node) const;

  // "wrong", "incomplete", "slower", "faster"; if none of these applies, "good" or "not compared".
  std::vector<std::string> states_of(std::size_t node) const;
};

}  // namespace reprise::reports
