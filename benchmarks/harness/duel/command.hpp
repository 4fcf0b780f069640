// SPDX-License-Identifier: MIT
// Runs other programs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace reprise::duels {

// Runs a command with its output in a file. Returns whether it succeeded.
bool succeeds(std::vector<std::string> words, const std::filesystem::path& log);

std::string first_line_of(const std::filesystem::path& file);
std::string last_line_of(const std::filesystem::path& file);

}  // namespace reprise::duels
