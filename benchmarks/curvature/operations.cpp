// SPDX-License-Identifier: MIT
// Counts the operations of the scheme at a node.
#include <fmt/format.h>

#include <utility>

#include "benchmarks/harness/count/counted_number.hpp"
#include "benchmarks/harness/count/operations.hpp"
#include "solvers/curvature/manufactured.hpp"
#include "solvers/curvature/stencil.hpp"
#include "solvers/curvature/variant.hpp"

namespace reprise::counting {
namespace {

using namespace curvature;

counted_number field(int dx, int dy) {
  return counted_number::of_node(1 + .1 * dx - .2 * dy + .03 * dx * dy);
}

long operations_of_rate(flow motion, boundary at_border) {
  const inverse_steps<counted_number> ih{3, 4};
  profile<counted_number> x, y;
  for (counted_number& d : x.d) d = counted_number::of_node(.3);
  for (counted_number& d : y.d) d = counted_number::of_node(-.2);
  const phase<counted_number> at{.7, -.3};
  return operations_of([&] {
    counted_number rate = curvature_at(field, ih);
    if (motion == flow::willmore) rate = willmore_at(field, field, ih);
    if (at_border == boundary::manufactured)
      rate += motion == flow::willmore ? forcing_willmore(x, y, at) : forcing_mean_curvature(x, y, at);
  });
}

paper_operations count() {
  paper_operations all;
  constexpr double sums_and_error = 31;
  constexpr long stages = 5;
  for (const flow motion : all_flows)
    for (const boundary at_border : {boundary::neumann, boundary::manufactured}) {
      const bool is_forced = at_border == boundary::manufactured;
      counted_unit unit{
          fmt::format("a step of {} at a node{}", to_string(motion), is_forced ? ", forced" : ""),
          stages * operations_of_rate(motion, at_border), step_flops(motion, at_border), sums_and_error};
      if (is_forced && motion == flow::mean_curvature) {
        unit.known_difference = stages;
        unit.why_different = "declared without adding the forcing to the rate";
      }
      all.units.push_back(std::move(unit));
    }
  all.not_counted =
      "the sums of the stages and the error (31 a step), which each variant writes for the numbers that it "
      "uses; the OpenCL variant's kernels, which a driver compiles";
  return all;
}

const operations_registration registered("curvature", count);

}  // namespace
}  // namespace reprise::counting
