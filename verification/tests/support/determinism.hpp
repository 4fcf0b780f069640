// SPDX-License-Identifier: MIT
// Checks what a variant declares about two runs with the same input: on every device, and on processors
// with one, two and four threads. A family's test says how its solvers answer.
#pragma once

#include <omp.h>

#include "solvers/common/base/device_calls.hpp"
#include "verification/tests/support/every_variant.hpp"

namespace reprise::verification {

using answer = std::vector<double>;

// The largest relative difference that rounding, amplified by a condition number,
// explains between two right answers.
inline constexpr double bound = 1e-9;

inline bool is_finite(const answer& a) {
  return std::ranges::all_of(a, [](double value) { return std::isfinite(value); });
}

inline double size_of(const answer& a) {
  return std::abs(*std::ranges::max_element(a, {}, [](double value) { return std::abs(value); }));
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

// Compares a first answer(solver, target) of variants with this interface with further ones: with 1, 2 and 4
// threads on processors, two more on GPUs.
template <class Solver, class Answer>
void require_declared(std::string_view word, Answer answer_of) {
  int checked = 0;
  for_every_target(word, [&](const harness::target& on, const std::string& name) {
    if (dynamic_cast<const variant_of<Solver>*>(on.variant) == nullptr) return;
    ++checked;
    const auto fresh_answer = [&]() -> answer {
      use(on.device);
      return answer_of(*made<Solver>(on), on);
    };
    const bool has_threads = on.device.kind == backend::cpu || on.device.kind == backend::emulated;
    const int before = omp_get_max_threads();
    answer first;
    try {
      first = fresh_answer();
    } catch (const unavailable& missing) {
      WARN(name << ": " << missing.what());
      return;
    }
    for (const int threads : has_threads ? std::vector{1, 2, 4, 4} : std::vector{0, 0}) {
      INFO(threads << " threads");
      if (has_threads) omp_set_num_threads(threads);
      CHECK(contradiction(on.variant->data.repeats, first, fresh_answer()).empty());
    }
    omp_set_num_threads(before);
  });
  CHECK(checked > 0);
}

}  // namespace reprise::verification
