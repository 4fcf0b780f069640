// SPDX-License-Identifier: MIT
// Says why this paper's operations cannot be counted.
#include "benchmarks/harness/count/operations.hpp"

namespace reprise::counting {
namespace {

paper_operations count() {
  return {{},
          "its terms have constants of single and double precision alone, and so have its OpenCL kernels"};
}

const operations_registration registered("tissue", count);

}  // namespace
}  // namespace reprise::counting
