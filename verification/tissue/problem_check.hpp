// SPDX-License-Identifier: MIT
// Compares the problem that the solvers are given with the paper's, as the reference writes it down. A wrong
// coefficient or initial state would otherwise be right by definition, because both sides solve the same problem.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "reference/tissue/reference.hpp"
#include "verification/checkers/finding.hpp"

namespace reprise::verification::tissue {

using reference::tissue::beginning;

// What a case asks for. The other numbers are the paper's.
struct asked {
  beginning from{beginning::hill};
  reprise::tissue::model model{};
  int nx{}, ny{};
  double dx{};  // 0: the paper's
  reprise::tissue::edge border{reprise::tissue::edge::no_flux};
  reprise::tissue::switch_form form{reprise::tissue::switch_form::cubic};
  double steepness{reference::tissue::paper::steepness};
  bool has_sharp_constants{}, replaces_tanh{}, multiplies_powers{true};
};

// A problem as numbers: coefficients, counts and choices by name, and fields of cells.
struct description {
  std::map<std::string, double> numbers;
  std::map<std::string, std::vector<double>> fields;
};
// From the solvers' functions and the problem's data.
description described(const reprise::tissue::problem& p, beginning from);
// From the reference's own literals.
description described(const asked& a);

// The largest difference of a number or a cell's value, relative where the value is not small.
checkers::finding judge(const description& given, const description& papers);
checkers::finding judge_problem(const reprise::tissue::problem& p, const asked& a);

}  // namespace reprise::verification::tissue
