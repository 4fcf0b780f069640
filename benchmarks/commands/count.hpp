// SPDX-License-Identifier: MIT
// `reprise count`: what a timed call needs in instructions, and whether that is more than in another build.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "benchmarks/commands/outcome.hpp"

namespace reprise::benchmarks {

// The command line's texts.
struct count_request {
  std::string build;  // empty: this program
  std::string against;
  std::string margin{"0.1%"};
  std::vector<std::string> experiments, variants, sizes, settings, parameters;
  std::string precision{"*"}, preset{"smoke"};
  bool has_all{};
  int jobs{};  // 0: one on each processor
  std::filesystem::path out;
  bool as_json{};
};

outcome count(const count_request& typed, std::ostream& out, std::ostream& progress);

}  // namespace reprise::benchmarks
