// SPDX-License-Identifier: MIT
// The control groups by which the system limits this process.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace reprise {

struct control_group {
  std::filesystem::path folder;
  bool is_version_2{};
};

// The groups of a controller ("memory", "cpu") that hold this process: its own and those above it. `root` is the folder
// that holds /proc and /sys, other than "/" in tests.
std::vector<control_group> control_groups(const std::filesystem::path& root, const std::string& controller);

}  // namespace reprise
