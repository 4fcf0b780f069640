// SPDX-License-Identifier: MIT
// Finds the programs of a duel: builds, installed prefixes, or commits, which are built once and kept.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

namespace reprise::duels {

struct contestant {
  std::string name;  // as typed
  std::filesystem::path program;
};

// `name` is a program, a folder with bin/reprise, or a commit of the repository in the current folder. A commit is built
// with these papers only. Throws bad_input if it is none of these or cannot be built.
contestant find_contestant(const std::string& name, const std::vector<std::string>& words,
                           std::ostream& progress);

}  // namespace reprise::duels
