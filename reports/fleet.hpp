// SPDX-License-Identifier: MIT
// The runs of many nodes put together: which nodes are alike, which gave wrong answers, and which died in the
// middle.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "reports/row.hpp"
#include "reports/run_folder.hpp"

namespace reprise::reports {

// A run that was never finished.
struct interruption {
  std::filesystem::path folder;
  std::size_t cases{};   // that it has
  bool is_measurable{};  // whether any finished node tells what is missing
  std::map<std::string, std::size_t, std::less<>> missing{};  // cases, by experiment
};

struct fleet_node {
  std::string name;  // as its runs call the machine
  std::size_t type{};
  std::vector<run> runs;
  std::vector<row> medians{};  // of each number over the node's runs
  std::vector<row> wrong{};    // one row for each case with a wrong answer
  std::vector<interruption> interruptions{};

  // A node that answered wrongly has no times and no rank.
  bool counts() const { return wrong.empty(); }
};

// Nodes of the same devices, which are expected to be equally fast.
struct node_type {
  std::string name;     // "type 1"
  std::string devices;  // "2 x NVIDIA H200, Intel Xeon, 16 threads"
  std::vector<std::size_t> nodes{};
};

struct fleet {
  std::vector<fleet_node> nodes;  // by name
  std::vector<node_type> types;   // the one with most nodes first
};

// Nodes are told apart by what their runs call them: "node" of run.json, or else "host".
fleet make_fleet(std::vector<run> runs);

// A type as one run: the medians over its nodes that count.
run typical_run(const fleet& of, const node_type& type);

}  // namespace reprise::reports
