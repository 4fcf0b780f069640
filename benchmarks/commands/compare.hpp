// SPDX-License-Identifier: MIT
// `reprise compare`: compares devices side by side, or two runs of one device against its noise.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "benchmarks/commands/outcome.hpp"

namespace reprise::benchmarks {

enum class fail_on { nothing, slower, wrong, any };
fail_on parse_fail_on(const std::string& name);  // throws bad_input

struct compare_request {
  std::vector<std::string> names{};  // folders of runs, recorded devices, papers' boards
  std::vector<std::string> vary{};   // properties in which the runs may differ
  std::string experiments{"*"};      // a shell glob over tables and figures
  bool is_full{};                    // print all tables, not only the summary
  std::filesystem::path out{};       // folder for Markdown and CSV; empty: none is written
  std::filesystem::path noise{};     // noise file written by --floor; empty: the default floor
  std::filesystem::path floor{};     // write the runs' noise to this file; empty: compare the runs
  fail_on concern{fail_on::nothing};
  std::string margin{"5%"};  // the smallest difference that is asked for
};

// `home` is the folder that holds reference/published, reports/claims and reports/recorded. Throws bad_input
// for runs that cannot be compared.
outcome compare(const compare_request& request, const std::filesystem::path& home, std::ostream& out);

// The same, and draws the figure in the folder `out`.
outcome compare_and_draw(const compare_request& request, const std::filesystem::path& home,
                         std::ostream& out);

}  // namespace reprise::benchmarks
