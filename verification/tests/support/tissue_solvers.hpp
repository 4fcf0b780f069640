// SPDX-License-Identifier: MIT
// What a tissue solver can compute: a variant may lack methods, or have the paper's terms alone.
#pragma once

#include <vector>

#include "solvers/tissue/variant.hpp"

namespace reprise::tissue::tests {

// Loads the problem, if the variant has its model and terms by this method.
inline bool is_loaded(solver& s, const problem& p, method how, double dt, precision arithmetic) {
  try {
    s.load(p, how, dt, arithmetic);
  } catch (const unavailable&) {
    return false;
  }
  return true;
}

// The methods that the variant has in double precision, in the order of all_methods.
inline std::vector<method> methods_of(solver& s, model m) {
  std::vector<method> all;
  for (const method how : all_methods)
    if (has_method(m, how) &&
        is_loaded(s, hill_problem(m, 5, 4, usual_spacing(m)), how, 1e-3, precision::double_))
      all.push_back(how);
  return all;
}

}  // namespace reprise::tissue::tests
