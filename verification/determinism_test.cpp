// SPDX-License-Identifier: MIT
// What each variant declares of two runs with the same input holds: on every device there is, and on
// processors with one, two and four threads. `reprise_tests "[determinism]"` does it on a machine with GPUs.
#include <omp.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "solvers/angiogenesis/study.hpp"
#include "solvers/angiogenesis/variant.hpp"
#include "solvers/atrium/variant.hpp"
#include "solvers/common/device_calls.hpp"
#include "solvers/common/error.hpp"
#include "solvers/curvature/variant.hpp"
#include "solvers/jacobi/variant.hpp"
#include "solvers/tissue/variant.hpp"
#include "verification/every_variant.hpp"

using namespace reprise;

namespace {

using answer = std::vector<double>;

// Between two answers that are both right to a condition number's share of rounding.
constexpr double bound = 1e-9;

bool is_finite(const answer& a) {
  return std::all_of(a.begin(), a.end(), [](double value) { return std::isfinite(value); });
}

double size_of(const answer& a) {
  double most = 0;
  for (const double value : a) most = std::max(most, std::abs(value));
  return most;
}

// Why these answers contradict what was declared; empty where they do not.
std::string contradiction(determinism declared, const answer& a, const answer& b) {
  if (a.empty() || a.size() != b.size()) return "an answer is missing";
  if (!is_finite(a) || !is_finite(b)) return "not finite";
  if (declared == determinism::bitwise) return a == b ? "" : "not the same to the bit";
  answer difference(a.size());
  std::transform(a.begin(), a.end(), b.begin(), difference.begin(), std::minus<>());
  const double allowed = declared == determinism::bounded ? bound * size_of(a) : size_of(a);
  return size_of(difference) <= allowed ? "" : "further apart than declared";
}

// Races show where there is much to do; elsewhere that would only take long.
int either(const device& d, int on_gpu, int elsewhere) {
  const bool is_gpu = d.kind != backend::emulated && !d.on_host;
  return is_gpu ? on_gpu : elsewhere;
}

void append(answer& all, const auto& values) {
  all.insert(all.end(), values.begin(), values.end());
}

answer answer_of(jacobi::solver& s, const harness::target& on) {
  const auto e =
      jacobi::make_problem(jacobi::matrix::pinned, either(on.where, 500, 70), either(on.where, 301, 37));
  s.load(e);
  s.reset();
  s.sweep(either(on.where, 200, 10));
  answer all;
  append(all, s.solution());
  return all;
}

answer answer_of(tissue::solver& s, const harness::target& on) {
  answer all;
  for (const tissue::model m : tissue::all_models)
    for (const tissue::method how : tissue::all_methods) {
      if (!has_method(m, how)) continue;
      const auto p = tissue::hill_problem(m, either(on.where, 190, 40), either(on.where, 130, 25),
                                          tissue::usual_spacing(m));
      s.load(p, how, .7 * tissue::diffusive_step_limit(p, how));
      s.step(either(on.where, 21, 5));
      for (const auto& field : s.state()) append(all, field);
    }
  return all;
}

answer answer_of(curvature::solver& s, const harness::target& on) {
  answer all;
  for (const curvature::flow what : curvature::all_flows)
    for (const precision arithmetic : on.what->data.precisions) {
      const auto p = curvature::skew_problem(what, curvature::setting::manufactured, either(on.where, 60, 13),
                                             either(on.where, 50, 10));
      s.load(p, arithmetic);
      s.reset(curvature::make_control(p, 1e-3, 1e-6));
      s.advance(1e-3);
      append(all, s.surface());
    }
  return all;
}

// Most variants know some of the methods only.
answer answer_of(atrium::solver& s, const harness::target& on) {
  using namespace atrium;
  answer all;
  const bool is_box = is_black_box(on.what->id);
  const std::vector<scheme> schemes =
      is_box ? std::vector{scheme::black_box} : std::vector(all_runge_kutta.begin(), all_runge_kutta.end());
  for (const scheme method : schemes)
    for (const precision arithmetic : on.what->data.precisions) try {
        const double t_end = .06;
        s.load(skew_problem(either(on.where, 3, 1)), arithmetic);
        const auto rule = is_box ? gate_rule::plain : gate_rule::rush_larsen;
        s.reset(is_box || is_pair(method) ? adaptive_steps(method, rule, 1e-5, 1e-5, t_end)
                                          : fixed_steps(method, rule, .01));
        s.advance(t_end);
        for (const cell_state& cell : s.state()) append(all, cell);
      } catch (const unavailable&) {
      }
  return all;
}

answer answer_of(angiogenesis::solver& s, const harness::target& on) {
  using namespace angiogenesis;
  answer all;
  const problem p =
      make_problem(slow_parameters(), taxis::nodal, start::step, either(on.where, 100, 18), 1e-2);
  for (const factoring when : all_factorings) {
    s.load(implicit_matrix(p), when);
    answer x(p.u0.size());
    s.solve(p.u0, x);
    append(all, x);
  }
  return all;
}

answer answer_of(angiogenesis::study_runner& s, const harness::target& on) {
  s.load(angiogenesis::spread_study(either(on.where, 100, 3), 16, either(on.where, 20, 4)));
  s.run();
  return s.answer().states;
}

template <class Solver>
answer fresh_answer(const harness::target& on) {
  use(on.where);
  return answer_of(*verification::made<Solver>(on), on);
}

// On GPUs three runs.
template <class Solver>
void require_declared(const harness::target& on, const std::string& name) {
  if (dynamic_cast<const variant_of<Solver>*>(on.what) == nullptr) return;
  const bool has_threads = on.where.kind == backend::cpu || on.where.kind == backend::emulated;
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
    CHECK(contradiction(on.what->data.repeats, first, fresh_answer<Solver>(on)).empty());
  }
  omp_set_num_threads(before);
}

template <class... Solvers>
void require_declared_of(std::string_view word) {
  int checked = 0;
  verification::for_every_target(word, [&](const harness::target& on, const std::string& name) {
    (require_declared<Solvers>(on, name), ...);
    ++checked;
  });
  CHECK(checked > 0);
}

}  // namespace

TEST_CASE("runs of jacobi have in common what is declared", "[determinism]") {
  require_declared_of<jacobi::solver>("jacobi");
}

TEST_CASE("runs of tissue have in common what is declared", "[determinism]") {
  require_declared_of<tissue::solver>("tissue");
}

TEST_CASE("runs of curvature have in common what is declared", "[determinism]") {
  require_declared_of<curvature::solver>("curvature");
}

TEST_CASE("runs of atrium have in common what is declared", "[determinism]") {
  require_declared_of<atrium::solver>("atrium");
}

TEST_CASE("runs of angiogenesis have in common what is declared", "[determinism]") {
  require_declared_of<angiogenesis::solver, angiogenesis::study_runner>("angiogenesis");
}

TEST_CASE("answers that contradict what is declared are found", "[determinism]") {
  const answer a{1, -2, 3};
  const auto with_last = [&](double value) { return answer{1, -2, value}; };

  CHECK(contradiction(determinism::bitwise, a, a).empty());
  CHECK_FALSE(contradiction(determinism::bitwise, a, with_last(std::nextafter(3, 4))).empty());
  CHECK(contradiction(determinism::bounded, a, with_last(3 + bound)).empty());
  CHECK_FALSE(contradiction(determinism::bounded, a, with_last(3 + 6 * bound)).empty());
  CHECK(contradiction(determinism::none, a, with_last(3.1)).empty());
  CHECK_FALSE(contradiction(determinism::none, a, with_last(std::nan(""))).empty());
  CHECK_FALSE(contradiction(determinism::none, a, {}).empty());
}
