// SPDX-License-Identifier: MIT
// Says why this paper's operations cannot be counted.
#include "benchmarks/harness/count/operations.hpp"

namespace reprise::counting {
namespace {

paper_operations count() {
  return {{},
          "its eliminations are written in double, and libraries do the rest: LAPACK, Eigen, hypre, cuSOLVER "
          "and cuSPARSE"};
}

const operations_registration registered("angiogenesis", count);

}  // namespace
}  // namespace reprise::counting
