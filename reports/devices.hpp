// SPDX-License-Identifier: MIT
// The devices of a run, as its description lists them: what they are called, and which comes first.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "reports/run_folder.hpp"

namespace reprise::reports {

// What the description calls the device, or else its id.
std::string device_name(const run& from, const std::string& id);

// The place of the device in the description's list; those that it does not list come last.
std::size_t device_rank(const run& from, const std::string& id);

// The name for people: with its id where two devices of the run are called the same.
std::string device_label(const run& from, const std::string& id);

// One board or processor: its ids are the ways to reach it, "cuda:0" and "opencl:1".
struct board {
  std::string name;
  std::vector<std::string> ids;
};

// To the board that it is another way to reach, or as a new one. Two boards of the same name are reached
// through the same backend.
void add_device(std::vector<board>& boards, const std::string& id, const std::string& name);

// Ids and names, in the description's order.
std::vector<std::pair<std::string, std::string>> listed_devices(const run& from);

}  // namespace reprise::reports
