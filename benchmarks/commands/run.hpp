// SPDX-License-Identifier: MIT
// `reprise run`: runs experiments into a run folder.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "benchmarks/commands/outcome.hpp"

namespace reprise::benchmarks {

// A request with the command line's texts, which are not parsed yet. If `out` is empty, the run folder is
// runs/<time in UTC>.
struct run_request : harness::run_request {
  std::string preset{"quick"};
  std::vector<std::string> sizes{};
  std::vector<std::string> settings{};  // NAME=NUMBER
  std::string parameters{};             // parameter file; empty: none
  bool names_experiments{};             // whether experiments were typed, be it '*'
  std::string budget{};                 // "5m", or "none"; empty: see run()
  bool dry_run{};                       // print what would be measured, and measure nothing
  bool as_events{};                     // print JSON events for programs
};

// Without a typed budget, the preset quick has one of three minutes, unless experiments or cases were chosen.
// Throws bad_input for a request that cannot be run, before the folder is created.
outcome run(const run_request& typed, std::ostream& out);

}  // namespace reprise::benchmarks
