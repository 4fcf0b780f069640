// SPDX-License-Identifier: MIT
// What the tissue paper's cases integrate.
#pragma once

#include <string>

#include "benchmarks/harness/size.hpp"
#include "solvers/common/base/registry.hpp"
#include "solvers/tissue/problem.hpp"

namespace reprise::harness::tissue_cases {

// - hill: at rest except for a hill of u; crosses every switch
// - lifted: all cells above every switch, where the right-hand side has no kink
enum class start { hill, lifted };

// What is integrated, and how. A spacing of zero means the model's usual one.
struct task {
  tissue::model model{};
  tissue::method method{};
  double dt{};
  double dx{};
  start from{start::hill};
  tissue::switch_form form{tissue::switch_form::cubic};
  bool replaces_tanh{};
  bool multiplies_powers{true};
  int vector_width{};
  precision arithmetic{precision::double_};
  bool has_derivative{};  // the derivative of the end is wanted too
};

tissue::problem problem_of(const task& t, grid_size size);

// End time of the runs whose error is measured: long enough to cross every switch, short
// enough for an accurate reference.
double end_of(tissue::model m);

// "model=karma;method=heun", to which a case appends its other properties.
std::string name_of(const task& t);

}  // namespace reprise::harness::tissue_cases
