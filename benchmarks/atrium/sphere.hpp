// SPDX-License-Identifier: MIT
// Shared by many cases of the atrium paper: a sphere with its stimuli, and the reference voltages on it.
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "benchmarks/harness/experiment.hpp"
#include "solvers/atrium/problem.hpp"

namespace reprise::harness::atrium_cases {

// The sphere, the simulated time and the cells' acetylcholine.
struct scenario {
  int subdivisions{};
  bool is_short{};  // only the first stimulus, applied to a half of the sphere, over 30 ms
  std::optional<double> t_end{};
  std::optional<double> acetylcholine{};

  bool operator==(const scenario&) const = default;
};

// Spheres take no --size; the advice names the setting that replaces it.
size_grammar sphere_sizes();

// The number of subdivisions in the request's settings, if it is given. Throws bad_input unless it is a whole
// number from 0 to 12 and the sphere fits into memory.
std::optional<int> asked_subdivisions(const plan_request& request);

// Leaves out stimuli that begin after the end of the simulated time.
atrium::protocol protocol_of(const scenario& chosen);

// What errors are measured against. The paper's is Cash-Karp with Rush-Larsen in double precision, which is of first order:
// that rule's own error stays. The other is the exponential midpoint method at a step so short that its error is small
// beside every error measured against it.
enum class reference_kind { papers, second_order };

class checked_sphere {
 public:
  explicit checked_sphere(const scenario& chosen);

  const atrium::problem& sphere() const { return problem_; }
  // Computed on the first call. Throws unavailable if no solver here can compute it, and runtime_error if the run does
  // not reach its end.
  const atrium::recording& reference(reference_kind kind);

 private:
  atrium::problem problem_;
  bool is_short_{};
  std::array<atrium::recording, 2> references_;  // of each kind
};

// Keeps the last one, because the reference is expensive on fine spheres.
std::shared_ptr<checked_sphere> checked_sphere_of(const scenario& chosen);

}  // namespace reprise::harness::atrium_cases
