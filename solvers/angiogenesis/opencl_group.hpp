// SPDX-License-Identifier: MIT
// The search for the work-group in which an OpenCL solver solves the paper's system soonest.
#pragma once

#include <string_view>
#include <vector>

#include "solvers/angiogenesis/variant.hpp"
#include "solvers/common/opencl/shape.hpp"

namespace reprise::angiogenesis {

// `in_shape` makes a solver that has the given shape, and so searches none.
template <class InShape>
opencl_shape fastest_group_of_solver(const device& d, std::string_view name, int nodes, InShape in_shape) {
  constexpr int tries = 3;
  const problem p = make_problem(slow_parameters(), taxis::nodal, start::step, nodes, 1e-3);
  const matrix a = implicit_matrix(p);
  std::vector<double> x(p.u0.size());
  return fastest_group(d, name, [&](const opencl_shape& shape) {
    const auto probe = in_shape(shape);
    probe->load(a, factoring::every_solve);
    return shortest_seconds(probe->clock(), tries, [&] { probe->solve(p.u0, x); });
  });
}

}  // namespace reprise::angiogenesis
