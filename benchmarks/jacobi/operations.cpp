// SPDX-License-Identifier: MIT
// Says why this paper's operations cannot be counted.
#include "benchmarks/harness/count/operations.hpp"

namespace reprise::counting {
namespace {

paper_operations count() {
  return {{},
          "its kernels are written for the numbers that a variant stores: float, vectors of floats, pixels "
          "and texels"};
}

const operations_registration registered("jacobi", count);

}  // namespace
}  // namespace reprise::counting
