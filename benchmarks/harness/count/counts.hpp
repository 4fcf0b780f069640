// SPDX-License-Identifier: MIT
// What was counted of a build, and the file that keeps it.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/harness/count/callgrind_file.hpp"
#include "benchmarks/harness/count/kernels.hpp"
#include "benchmarks/harness/count/processor_counters.hpp"
#include "benchmarks/harness/duel/protocol.hpp"
#include "solvers/common/emulation/traffic.hpp"

namespace reprise::counting {

// What made and counted the numbers. Counts are compared only between builds for which the first part is equal.
struct circumstances {
  std::string compiler, flags, build_type, c_library, valgrind;
  std::string processor;  // as Valgrind shows it to the program

  std::string cuda;          // its compiler, which makes the kernels
  std::string version, git;  // of the sources
};

struct counted_case : duels::offered_case {
  std::optional<callgrind_counts> simulated;
  std::string not_simulated;  // why there are none
  processor_counts by_processor;
  std::optional<cuda::traffic> traffic;  // of an emulated device
  std::string foul{};                    // a wrong answer, or how the program ended
  bool ran{true};                        // with a right answer
};

struct counts {
  circumstances made;
  std::vector<counted_case> cases;
  kernel_list kernels;
  std::vector<std::string> left_out;  // cases that are not counted, and why
};

nlohmann::json to_json(const counts& all);
// Throws bad_input if the file has no counts.
counts read_counts(const std::filesystem::path& file);
bool is_counts_file(const std::filesystem::path& file);

// The clones of functions for processor levels that were counted: "x86-64-v3"; empty if the case has none.
std::string clones_of(const callgrind_counts& counted);

}  // namespace reprise::counting
