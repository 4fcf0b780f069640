// SPDX-License-Identifier: MIT
// Counts the operations of a cell, below -40 mV as declared.
#include <array>
#include <cmath>

#include "benchmarks/harness/count/counted_number.hpp"
#include "benchmarks/harness/count/operations.hpp"
#include "solvers/atrium/cell.hpp"
#include "solvers/atrium/structures.hpp"
#include "solvers/atrium/variant.hpp"

namespace reprise::counting {
namespace {

using namespace atrium;

struct counted_math {
  using real = counted_number;
  using scalar = counted_number;
  static constexpr bool is_scalar = true;
  static real exp(real x) { return std::exp(x); }
  static real log(real x) { return std::log(x); }
  static real sqrt(real x) { return std::sqrt(x); }
  static real decay(real x) { return -std::expm1(-x); }
  static real over(real a, real b) { return a / b; }
  static real choose(bool condition, real a, real b) { return condition ? a : b; }
};

long operations_of_neighbours() {
  problem p = single_cell_problem();
  p.stimulated.assign(1, 0);
  p.mesh.neighbours.assign(1, {});
  std::array<counted_number, slots> weight{};
  return operations_of([&] {
    supplied<counted_number>(p, weight, 0, 0, [](std::size_t) { return counted_number::of_node(-80); });
  });
}

paper_operations count() {
  using cell = courtemanche<counted_math>;
  const auto constants = constants_of<counted_number>(cell_parameters{});
  const cell_state resting = published_initial_state();
  counted_number y[variables];
  for (std::size_t i = 0; i < variables; ++i) y[i] = counted_number::of_node(resting[i]);
  cell::change change;
  const long rates = operations_of([&] { change = cell::rates(constants, y); });
  const long followed = operations_of([&] {
    for (std::size_t g = 0; g < gates; ++g)
      cell::followed(y[first_gate + g], change.rate[g], change.target[g], .01);
  });
  return {{{"the rates, gates and neighbours of a cell", rates + followed + operations_of_neighbours(),
            flops_of(0), 0, -3, "declared as they were once counted by hand"}},
          "the two operations for each slope in an argument, which each variant writes itself; the variants "
          "with tables or functions of their own (cuda_streamed, cuda_tuned, both on several GPUs), which "
          "need fewer; those of CVODE, whose library makes its own; the OpenCL variant's kernels, which "
          "a driver compiles"};
}

const operations_registration registered("atrium", count);

}  // namespace
}  // namespace reprise::counting
