// SPDX-License-Identifier: MIT
// The interface that every angiogenesis variant implements: a solver of A x = b, one matrix and many
// right-hand sides, which factorises at every solve, as the paper does, or once. A unit of work is a solve.
#pragma once

#include <array>
#include <span>
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
  double launch{};       // the host's time to hand work to the device
  double synchronise{};  // the host's time to wait for it, where the work itself is not meant
  double factorise{};  // pivots, swaps and elimination; where the right-hand side is a column of the matrix,
                       // forward substitution too; of an iterative solver the preconditioner
  double forward{};    // of an iterative solver the iterations
  double back{};
  double host{};  // everything else: to fill the matrix, to check what is not a number

  double total() const { return transfer + launch + synchronise + factorise + forward + back + host; }
};

struct effort {
  time_split seconds;
  long long solves{};
  long long factorisations{};
  long long iterations{};  // of an iterative solver, over all solves
  long long row_swaps{};   // in the last factorisation
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
};

}  // namespace reprise::angiogenesis
