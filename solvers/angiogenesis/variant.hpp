// SPDX-License-Identifier: MIT
// The interface of the angiogenesis variants: solvers of A x = b with one matrix and many right-hand sides.
// They factorise at every solve, as the paper does, or once. A unit of work is one solve.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "solvers/angiogenesis/matrix.hpp"
#include "solvers/common/base/registry.hpp"
#include "solvers/common/base/stopwatch.hpp"

namespace reprise::angiogenesis {

enum class factoring { every_solve, once };
constexpr std::array<factoring, 2> all_factorings{factoring::every_solve, factoring::once};
constexpr std::string_view to_string(factoring f) {
  return f == factoring::once ? "once" : "every_solve";
}

// Where the time went, in seconds. A part that a variant does not have is zero. A part that a library does
// not separate is counted with the one listed after it.
struct time_split {
  double transfer{};     // between host and device
  double launch{};       // the host's time to hand work to the device, before the device begins
  double synchronise{};  // the host's time to wait for the device beyond its work, and to read what decides
                         // the next launch; counted as work if kernels are not watched
  double factorise{};    // pivots, swaps and elimination; if the right-hand side is a column of the matrix,
                         // also forward substitution; in an iterative solver the preconditioner
  double forward{};      // in an iterative solver the iterations
  double back{};
  double host{};  // everything else: filling the matrix, checking for values that are not finite

  // Portions of the parts above, available if kernels are watched.
  double to_device{};                   // of transfer
  double pivot{}, swap{}, eliminate{};  // of factorise

  double total() const { return transfer + launch + synchronise + factorise + forward + back + host; }
};

struct effort {
  time_split seconds;
  long long solves{};
  long long factorisations{};
  long long iterations{};              // in an iterative solver, over all solves
  std::optional<long long> row_swaps;  // in the last factorisation; none if the solver exchanges no rows
};

// What the kernels of elimination work on: the augmented matrix by rows, and the pivot that was found last.
struct kernel_state {
  std::vector<double> augmented;
  double magnitude{};
  long long row{};
};

// One kernel of a variant by itself, on the loaded matrix, for the paper's Table 3. A solve launches it for each column.
struct kernel_probe {
  std::string name;    // "eliminate"
  double occupancy{};  // the fraction of the device's threads that a launch keeps resident
  int columns{};
  std::function<work(int column)> work_at;  // of a launch: each value counted once
  // Launches for these columns, one after the other, by the device's clock.
  std::function<double(std::span<const int> columns)> seconds_of;
  std::function<kernel_state()> state{};
  std::function<void(const kernel_state&)> set_state{};
};

// What crosses the bus between host and device in one solve.
struct bus_traffic {
  double bytes{};
  const char* contents{"nothing: the work is on the host"};
};

// Solves whose right-hand sides and answers stay in the device's memory.
class resident_solver {
 public:
  virtual ~resident_solver() = default;

  // Copies right-hand sides to the device.
  virtual void keep(std::span<const std::vector<double>> right_sides) = 0;
  // Solves for one of them, and waits for the device. The answer is not checked for values that are not finite.
  virtual void solve_kept(std::size_t which) = 0;
  // Copies the last answer to the host. Throws bad_input if it is not finite.
  virtual void read_kept(std::span<double> x) = 0;

  // What no solve can be faster than, measured: an empty launch and the wait for it, alone or between copies of b and x.
  virtual double launch_floor_seconds(bool with_copies) = 0;
};

class solver {
 public:
  virtual ~solver() = default;

  // Throws unavailable, before it allocates, if the variant cannot handle the matrix or lacks memory for it.
  // Throws bad_matrix, which names a column, if the matrix is not finite or, under factoring::once, singular.
  // The effort is reset and includes the loading.
  virtual void load(const matrix& a, factoring when) = 0;
  // Throws bad_matrix for a singular matrix and bad_input if the right-hand side or the answer is not finite.
  virtual void solve(std::span<const double> b, std::span<double> x) = 0;
  virtual const effort& spent() const = 0;
  virtual stopwatch& clock() = 0;
  virtual work per_solve() const = 0;
  // Residual norm relative to that of the right-hand side at which an iterative solver
  // stops; 0 for a direct solver.
  virtual double tolerance() const { return 0; }
  virtual bus_traffic traffic() const { return {}; }
  // Null for a variant that has no such solves.
  virtual resident_solver* resident() { return nullptr; }
  // Separates a kernel's time from the host's waiting time, at the cost of two events around each kernel.
  virtual void watch_kernels(bool) {}
  virtual std::vector<kernel_probe> kernels() { return {}; }
};

}  // namespace reprise::angiogenesis
