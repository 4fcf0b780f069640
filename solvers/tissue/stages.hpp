// SPDX-License-Identifier: MIT
// A step of each method as a list of stages, and its flops.
#pragma once

#include "solvers/tissue/variant.hpp"

namespace reprise::tissue {

// Each stage evaluates the right-hand side k of its argument, the first one of the state. The last one takes
// the state z to z + h sum(weight k); each other one makes the next argument z + h k.
struct stage {
  double weight, h;
};

// Plain data, so that it can be a kernel's argument.
struct schedule {
  int stages;
  stage of[4];
};

inline schedule schedule_of(method how, double dt) {
  switch (how) {
    case method::heun:
      return {2, {{1, dt}, {1, dt / 2}}};
    case method::runge_kutta:
      return {4, {{1, dt / 2}, {2, dt / 2}, {2, dt}, {1, dt / 6}}};
    default:
      return {1, {{1, dt}}};
  }
}

inline double step_flops(model what, method how) {
  const double fields = fields_of(what);
  return stages_of(how) * (local_flops(what) + laplacian_flops * diffusing_fields_of(what)) +
         fields * (how == method::runge_kutta ? 13
                   : how == method::heun      ? 5
                                              : 2);
}

}  // namespace reprise::tissue
