// SPDX-License-Identifier: MIT
// Which nodes are slower than others of their type: on which device, in how many of their timings, and in
// which of them most.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "reports/comparison_noise.hpp"
#include "reports/comparison_speed.hpp"
#include "reports/fleet.hpp"

namespace reprise::reports {

// Of two nodes that differ none is the usual one.
constexpr std::size_t fewest_alike = 3;

// A node is called slower, or faster, on a device where at least this share of its timings there is: one odd
// timing of a hundred is what shared machines do.
constexpr double least_share = .1;

// The timings of a node on one device, each against the node in the middle of its type.
struct node_speed {
  std::size_t node{};
  std::string device;
  std::vector<speed_finding> timings{};  // furthest beyond its floor first
  double middle{};                       // the median shift, as a logarithm

  std::size_t count(speed_verdict v) const;
  speed_verdict verdict() const;  // slower, faster or same
};

// In the order of the nodes. A timing has a finding where at least three nodes of the type that count have
// it.
std::vector<node_speed> compare_nodes(const fleet& of, std::span<const case_noise> noise);

}  // namespace reprise::reports
