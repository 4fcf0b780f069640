// SPDX-License-Identifier: MIT
// Whether a build needs more instructions than another one. Counts have no noise, so small growth is real; but they say nothing
// across compilers, C libraries and processor levels.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "benchmarks/harness/count/counts.hpp"

namespace reprise::counting {

enum class change { same, grew, shrank, failed, not_judged };
std::string_view to_string(change c);

struct growth_rule {
  double margin{.001};  // a share of the case's instructions
};

struct grown_function {
  std::string name;
  std::int64_t before{}, after{};
};

struct case_change {
  std::string name;
  change what{change::not_judged};
  std::int64_t before{}, after{};
  std::string reason;                     // why it is not judged, or what else grew
  std::vector<grown_function> functions;  // at most five, the most grown first
};

struct kernel_change {
  std::string name;
  int spilled_before{}, spilled_after{};
  int registers_before{}, registers_after{};
};

struct comparison {
  std::vector<std::string> differences;  // in what made the counts; nothing is judged if there is one
  std::vector<case_change> cases;
  std::vector<kernel_change> kernels;  // that spill more than before
  std::string no_kernels;              // why they are not compared
  std::vector<std::string> left_out;

  bool has(change what) const;
};

// How much more of `before` there is: .01 for one percent.
double growth(std::int64_t before, std::int64_t after);

// Throws bad_input if they share no case.
comparison compare(const counts& before, const counts& after, const growth_rule& rule);

}  // namespace reprise::counting
