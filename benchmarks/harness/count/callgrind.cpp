// SPDX-License-Identifier: MIT
// Looks for Valgrind in PATH, and puts its options before a command.
#include "benchmarks/harness/count/callgrind.hpp"

#include "benchmarks/harness/duel/command.hpp"
#include "benchmarks/harness/duel/temporary_folder.hpp"

namespace reprise::counting {

std::string valgrind_version() {
  const duels::temporary_folder scratch;
  const auto said = scratch.path() / "version";
  return duels::succeeds({"valgrind", "--version"}, said) ? duels::first_line_of(said) : "";
}

std::string why_no_valgrind() {
  return duels::succeeds({"valgrind", "--version"}, "/dev/null") ? "" : "no valgrind: apt install valgrind";
}

std::vector<std::string> under_callgrind(const std::vector<std::string>& command,
                                         const std::filesystem::path& output) {
  std::vector<std::string> words{"valgrind",
                                 "--tool=callgrind",
                                 "--quiet",
                                 "--instr-atstart=no",
                                 "--cache-sim=yes",
                                 "--branch-sim=yes",
                                 "--I1=32768,8,64",
                                 "--D1=32768,8,64",
                                 "--LL=8388608,16,64",
                                 "--callgrind-out-file=" + output.string()};
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

}  // namespace reprise::counting
