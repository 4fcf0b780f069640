// SPDX-License-Identifier: MIT
// `reprise duel`: which of two programs is faster.
#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "benchmarks/commands/outcome.hpp"
#include "benchmarks/harness/run_request.hpp"

namespace reprise::benchmarks {

// The command line's texts.
struct duel_request {
  std::vector<std::string> sides;  // two, or none with a commit
  std::string commit;              // its program against the one of HEAD
  std::vector<std::string> experiments, variants, sizes, settings, parameters;
  std::string precision{"*"}, device{"*"}, preset{"quick"};
  std::string mode{"turns"};
  int threads{1};
  std::string margin{"1%"};
  std::string budget;  // of each case
  std::uint64_t seed{1};
  bool as_json{};
  std::filesystem::path out;
};

outcome duel(const duel_request& typed, std::ostream& out, std::ostream& progress);

}  // namespace reprise::benchmarks
