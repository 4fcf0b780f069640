// SPDX-License-Identifier: MIT
// The interface of the jacobi variants. A unit of work is one node in one sweep.
#pragma once

#include <vector>

#include "solvers/common/base/error.hpp"
#include "solvers/common/base/registry.hpp"
#include "solvers/common/base/stopwatch.hpp"
#include "solvers/jacobi/problem.hpp"

namespace reprise::jacobi {

class solver {
 public:
  virtual ~solver() = default;

  // Allocates, transfers and lays out the problem, and sets x to x0. May be called again with another
  // problem. Throws unavailable if the problem does not fit this variant.
  virtual void load(const problem& p) = 0;

  // The same in double precision, for variants that declare it. All values of the problem are converted exactly.
  virtual void load_in_double(const problem&) { throw single_only(); }

  // Sets x to x0 again and changes nothing else.
  virtual void reset() = 0;

  // Makes `count` sweeps. May return before the device has finished.
  virtual void sweep(int count) = 0;

  // Waits for the device and returns the nx*ny values of x.
  virtual std::vector<float> solution() = 0;

  // The same after load_in_double().
  virtual std::vector<double> solution_in_double() { throw single_only(); }
  virtual work per_unit_in_double() const { throw single_only(); }

  // The most sweeps that one launch or pass of the loaded problem combines. A check makes at least as many in
  // one call, so that it reaches the code that is timed.
  virtual int sweeps_at_once() const { return 1; }

  // The clock that times sweep().
  virtual stopwatch& clock() = 0;

 private:
  static unavailable single_only() { return unavailable("works in single precision only"); }
};

// Work per node and sweep. Logical: nine x, nine diagonals, f and the store, 20 words.
// Compulsory: nine diagonals, f, x once and the store, 12 words. Flops: 8 products, 8
// differences, 1 division, 2 products, 1 sum.
constexpr work plain_work{.bytes_logical = 80, .bytes_dram = 48, .bytes_dram_once = 0, .flops = 20};

}  // namespace reprise::jacobi
