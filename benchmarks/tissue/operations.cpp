// SPDX-License-Identifier: MIT
// Says why this paper's operations cannot be counted.
#include "benchmarks/harness/count/operations.hpp"

namespace reprise::counting {
namespace {

paper_operations count() {
  return {{}, "its kernels are written in double; their vectors and OpenCL kernels too"};
}

const operations_registration registered("tissue", count);

}  // namespace
}  // namespace reprise::counting
