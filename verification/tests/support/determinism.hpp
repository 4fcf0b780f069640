// SPDX-License-Identifier: MIT
// Checks what a variant declares about two runs with the same input: on every device, and on processors with one,
// two and four threads. A family's test defines answer_of(solver, target) in the solver's namespace.
#pragma once

#include <omp.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "solvers/common/base/device_calls.hpp"
#include "solvers/common/base/error.hpp"
#include "verification/tests/support/every_variant.hpp"

namespace reprise::verification {

using answer = std::vector<double>;

// The largest relative difference that rounding, amplified by a condition number,
// explains between two right answers.
inline constexpr double bound = 1e-9;

inline bool is_finite(const answer& a) {
  return std::all_of(a.begin(), a.end(), [](double value) { return std::isfinite(value); });
}

inline double size_of(const answer& a) {
  double most = 0;
  for (const double value : a) most = std::max(most, std::abs(value));
  return most;
}

// Why two answers contradict the declaration; empty if they do not.
inline std::string contradiction(determinism declared, const answer& a, const answer& b) {
  if (a.empty() || a.size() != b.size()) return "an answer is missing";
  if (!is_finite(a) || !is_finite(b)) return "not finite";
  if (declared == determinism::bitwise) return a == b ? "" : "not the same to the bit";
  answer difference(a.size());
  std::transform(a.begin(), a.end(), b.begin(), difference.begin(), std::minus<>());
  const double allowed = declared == determinism::bounded ? bound * size_of(a) : size_of(a);
  return size_of(difference) <= allowed ? "" : "further apart than declared";
}

// Uses large problems on GPUs, where they reveal races, and small ones elsewhere to save time.
inline int either(const device& d, int on_gpu, int elsewhere) {
  const bool is_gpu = d.kind != backend::emulated && !d.on_host;
  return is_gpu ? on_gpu : elsewhere;
}

inline void append(answer& all, const auto& values) {
  all.insert(all.end(), values.begin(), values.end());
}

template <class Solver>
answer fresh_answer(const harness::target& on) {
  use(on.device);
  return answer_of(*made<Solver>(on), on);
}

// Compares a first run with further ones: with 1, 2 and 4 threads on processors, two more on GPUs.
template <class Solver>
void require_declared(const harness::target& on, const std::string& name) {
  if (dynamic_cast<const variant_of<Solver>*>(on.variant) == nullptr) return;
  const bool has_threads = on.device.kind == backend::cpu || on.device.kind == backend::emulated;
  const int before = omp_get_max_threads();
  answer first;
  try {
    first = fresh_answer<Solver>(on);
  } catch (const unavailable& missing) {
    WARN(name << ": " << missing.what());
    return;
  }
  for (const int threads : has_threads ? std::vector{1, 2, 4, 4} : std::vector{0, 0}) {
    INFO(name << ", " << threads << " threads");
    if (has_threads) omp_set_num_threads(threads);
    CHECK(contradiction(on.variant->data.repeats, first, fresh_answer<Solver>(on)).empty());
  }
  omp_set_num_threads(before);
}

template <class... Solvers>
void require_declared_of(std::string_view word) {
  int checked = 0;
  for_every_target(word, [&](const harness::target& on, const std::string& name) {
    (require_declared<Solvers>(on, name), ...);
    ++checked;
  });
  CHECK(checked > 0);
}

}  // namespace reprise::verification
