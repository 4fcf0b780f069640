// SPDX-License-Identifier: MIT
// How a program runs under Callgrind.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace reprise::counting {

// "valgrind-3.19.0"; empty if there is none.
std::string valgrind_version();
// Why nothing can run under Callgrind; empty if it can.
std::string why_no_valgrind();

// The command that runs this one, counts what it asks to be counted, and writes it to this file with ".1", ".2" and so on. The
// simulated caches have a size of their own, so that counts do not depend on the machine's.
std::vector<std::string> under_callgrind(const std::vector<std::string>& command,
                                         const std::filesystem::path& output);

}  // namespace reprise::counting
