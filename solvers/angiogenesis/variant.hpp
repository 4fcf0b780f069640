// SPDX-License-Identifier: MIT
// The interface that every angiogenesis variant implements: a solver of A x = b, one matrix and many
// right-hand sides, which factorises at every solve, as the paper does, or once. A unit of work is a solve.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "solvers/angiogenesis/matrix.hpp"
#include "solvers/common/registry.hpp"
#include "solvers/common/stopwatch.hpp"

namespace reprise::angiogenesis {

enum class factoring { every_solve, once };
constexpr std::array<factoring, 2> all_factorings{factoring::every_solve, factoring::once};
constexpr std::string_view to_string(factoring f) {
  return f == factoring::once ? "once" : "every_solve";
}

// Where the seconds went. A part that a variant does not have is zero; a part that its library does not show
// apart is counted with the one named after it.
struct time_split {
  double transfer{};     // between host and device
  double launch{};       // the host's time to hand work to the device, before the device is at it
  double synchronise{};  // the host's time to wait for the device beyond its work, and to read what decides
                         // the next launch; counted with the work where kernels are not watched
  double factorise{};  // pivots, swaps and elimination; where the right-hand side is a column of the matrix,
                       // forward substitution too; of an iterative solver the preconditioner
  double forward{};    // of an iterative solver the iterations
  double back{};
  double host{};  // everything else: to fill the matrix, to check what is not a number

  // Parts of the parts above, where kernels are watched.
  double to_device{};                   // of transfer
  double pivot{}, swap{}, eliminate{};  // of factorise

  double total() const { return transfer + launch + synchronise + factorise + forward + back + host; }
};

struct effort {
  time_split seconds;
  long long solves{};
  long long factorisations{};
  long long iterations{};  // of an iterative solver, over all solves
  long long row_swaps{};   // in the last factorisation
};

// One kernel of a variant on its own, on the matrix that is loaded, for the paper's Table 3.
struct kernel_probe {
  std::string name;    // "eliminate"
  double occupancy{};  // resident threads over those that a multiprocessor can hold
  double bytes{};      // read and written by one launch, each once
  double flops{};
  std::function<double(int launches)> seconds_of;  // by the device's clock
};

class solver {
 public:
  virtual ~solver() = default;

  // Throws unavailable for a matrix that the variant is not made for or has no memory for, before it takes
  // any; bad_matrix, which names a column, for one that is not finite or, where it is factorised once,
  // singular. The effort starts from zero and includes this.
  virtual void load(const matrix& a, factoring when) = 0;
  // Throws bad_matrix for a singular matrix and bad_input for a right-hand side that is not finite: an answer
  // is finite.
  virtual void solve(std::span<const double> b, std::span<double> x) = 0;
  virtual const effort& spent() const = 0;
  virtual stopwatch& clock() = 0;
  virtual work per_solve() const = 0;
  // An iterative solver stops at this norm of the residual over that of the right-hand side; 0: it is direct.
  virtual double tolerance() const { return 0; }
  // Tells a kernel's time from the host's wait for it, at the price of two events around each.
  virtual void watch_kernels(bool) {}
  virtual std::vector<kernel_probe> kernels() { return {}; }
};

}  // namespace reprise::angiogenesis
