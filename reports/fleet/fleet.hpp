// SPDX-License-Identifier: MIT
// The runs of many nodes, grouped: which nodes have the same devices, which gave wrong
// answers, and which were interrupted.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "reports/store/row.hpp"
#include "reports/store/run.hpp"

namespace reprise::reports {

// A run that did not finish.
struct interruption {
  std::filesystem::path folder;
  std::size_t cases{};   // number of cases that it has
  bool is_measurable{};  // whether a finished run on a node of the type shows what is missing
  std::map<std::string, std::size_t, std::less<>> missing{};  // number of cases, by experiment
};

struct fleet_node {
  std::string name;  // the machine's name in its runs
  std::size_t type{};
  std::vector<run> runs;
  std::vector<row> medians{};  // of each value over the node's runs
  std::vector<row> wrong{};    // one row for each case with a wrong answer
  std::vector<interruption> interruptions{};

  // A node with a wrong answer has no times and no rank.
  bool counts() const { return wrong.empty(); }
};

// Nodes with the same devices, which are expected to be equally fast.
struct node_type {
  std::string name;     // "type 1"
  std::string devices;  // "2 x NVIDIA H200, Intel Xeon, 16 threads"
  std::vector<std::size_t> nodes{};
};

struct fleet {
  std::vector<fleet_node> nodes;  // by name
  std::vector<node_type> types;   // largest type first
};

// Groups runs into nodes by the key "node" of run.json, or "host" if it is missing.
fleet make_fleet(std::vector<run> runs);

// One run that represents the type: the medians over its nodes without wrong answers.
run typical_run(const fleet& of, const node_type& type);

}  // namespace reprise::reports
