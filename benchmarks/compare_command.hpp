// SPDX-License-Identifier: MIT
// `reprise compare`: devices side by side, and two runs of one device against its noise.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

namespace reprise::benchmarks {

enum class fail_on { nothing, slower, wrong, any };
fail_on parse_fail_on(const std::string& name);  // throws bad_input

struct compare_request {
  std::vector<std::string> names{};  // folders of runs, recorded devices, papers' boards
  std::vector<std::string> vary{};   // properties in which they may differ
  std::string experiments{"*"};      // a shell glob over tables and figures
  std::filesystem::path out{};       // a folder for Markdown and CSV; empty: none
  std::filesystem::path noise{};     // what --floor wrote; empty: the default floor
  std::filesystem::path floor{};     // learn the noise of the runs and write it here; empty: compare
  fail_on concern{fail_on::nothing};
};

enum class comparison_outcome { good, wrong, slower, undecided };

// `home` is the folder that has reference/published, reports/claims and reports/recorded. Throws bad_input
// for what cannot be compared.
comparison_outcome compare(const compare_request& request, const std::filesystem::path& home,
                           std::ostream& out);

}  // namespace reprise::benchmarks
