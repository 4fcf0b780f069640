// SPDX-License-Identifier: MIT
// The checkers are checked: every way of being wrong below must turn every variant red.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <limits>

#include "solvers/common/error.hpp"
#include "solvers/jacobi/variant.hpp"
#include "verification/every_variant.hpp"
#include "verification/jacobi_check.hpp"

using namespace reprise;
using jacobi::matrix;
namespace check = verification::jacobi;

namespace {

// A solver that does its work but for one fault.
class sabotaged : public jacobi::solver {
 public:
  explicit sabotaged(jacobi::solver& honest) : honest_(honest) {}
  void load(const jacobi::problem& p) override { honest_.load(p); }
  void reset() override { honest_.reset(); }
  void sweep(int count) override { honest_.sweep(count); }
  std::vector<float> solution() override { return honest_.solution(); }
  stopwatch& clock() override { return honest_.clock(); }

 protected:
  jacobi::solver& honest_;
};

struct idle final : sabotaged {
  using sabotaged::sabotaged;
  void sweep(int) override {}
};

struct one_sweep_short final : sabotaged {
  using sabotaged::sabotaged;
  void sweep(int count) override { honest_.sweep(count - 1); }
};

struct stale_answer final : sabotaged {
  using sabotaged::sabotaged;
  void sweep(int count) override {
    answer_ = honest_.solution();
    honest_.sweep(count);
  }
  std::vector<float> solution() override { return answer_; }
  std::vector<float> answer_;
};

// Changes the answer of the honest solver by a function of it.
struct edited_answer final : sabotaged {
  edited_answer(jacobi::solver& honest, std::function<void(std::vector<float>&)> edit)
      : sabotaged(honest), edit_(std::move(edit)) {}
  std::vector<float> solution() override {
    auto x = honest_.solution();
    edit_(x);
    return x;
  }
  std::function<void(std::vector<float>&)> edit_;
};

// Loads another problem than the one that was asked for.
struct edited_problem final : sabotaged {
  edited_problem(jacobi::solver& honest, std::function<void(jacobi::problem&)> edit)
      : sabotaged(honest), edit_(std::move(edit)) {}
  void load(const jacobi::problem& p) override {
    jacobi::problem other = p;
    edit_(other);
    honest_.load(other);
  }
  std::function<void(jacobi::problem&)> edit_;
};

struct failing_launch final : sabotaged {
  using sabotaged::sabotaged;
  void sweep(int) override { throw error("launch failed: cudaErrorLaunchFailure"); }
};

constexpr int nx = 37;
constexpr int ny = 23;

// Both symmetric matrices and, where the variant takes it, the unsymmetric one; red means all that were
// tried.
bool all_red(jacobi::solver& s) {
  int tried = 0;
  for (matrix kind : jacobi::all_matrices) try {
      const auto e = check::expect(kind, nx, ny, 10);
      s.load(e->problem());
      ++tried;
      if (checkers::all_good(check::verify(s, *e))) return false;
    } catch (const unavailable&) {
    }
  return tried > 0;
}

bool green(jacobi::solver& s) {
  const auto e = check::expect(matrix::pinned, nx, ny, 10);
  s.load(e->problem());
  return checkers::all_good(check::verify(s, *e));
}

void sabotage(jacobi::solver& honest) {
  CHECK(green(honest));

  idle no_operation(honest);
  CHECK(all_red(no_operation));
  one_sweep_short missing_sweep(honest);
  CHECK(all_red(missing_sweep));
  stale_answer stale(honest);
  CHECK(all_red(stale));
  edited_answer one_nan(honest, [](auto& x) { x[x.size() / 2] = std::numeric_limits<float>::quiet_NaN(); });
  CHECK(all_red(one_nan));
  edited_answer wrong_first_row(honest, [](auto& x) { std::copy_n(x.begin() + nx, nx, x.begin()); });
  CHECK(all_red(wrong_first_row));
  edited_answer wrong_last_column(honest, [](auto& x) {
    for (std::size_t i = nx - 1; i < x.size(); i += nx) x[i] = x[i - 1];
  });
  CHECK(all_red(wrong_last_column));
  edited_answer transposed_nodes(honest, [](auto& x) { std::swap(x[40], x[41]); });
  CHECK(all_red(transposed_nodes));
  edited_answer truncated(honest, [](auto& x) { x.pop_back(); });
  CHECK(all_red(truncated));
  edited_problem scaled_coefficient(honest, [](auto& p) {
    for (float& d : p.diagonals[4]) d *= 1.001F;
  });
  CHECK(all_red(scaled_coefficient));
  edited_problem wrong_weight(honest, [](auto& p) { p.omega *= .99F; });
  CHECK(all_red(wrong_weight));
  edited_problem right_hand_side_forgotten(honest, [](auto& p) { p.f.assign(p.f.size(), 0.0F); });
  CHECK(all_red(right_hand_side_forgotten));

  failing_launch failing(honest);
  CHECK_THROWS_AS(all_red(failing), error);
}

// Only the unsymmetric matrix can tell two diagonals apart that the symmetric ones have alike.
void swap_diagonals(jacobi::solver& honest) {
  const auto e = check::expect(matrix::unsymmetric, nx, ny, 10);
  for (auto [a, b] : {std::pair{0U, 8U}, {1U, 7U}, {2U, 6U}, {3U, 5U}, {0U, 2U}}) {
    edited_problem swapped(honest,
                           [a = a, b = b](jacobi::problem& p) { std::swap(p.diagonals[a], p.diagonals[b]); });
    try {
      swapped.load(e->problem());
    } catch (const unavailable&) {
      return;  // takes symmetric matrices only
    }
    CHECK_FALSE(checkers::all_good(check::verify(swapped, *e)));
  }
}

}  // namespace

TEST_CASE("no sabotaged jacobi variant passes") {
  verification::for_every_target("jacobi", [](const harness::target& on, const std::string& name) {
    DYNAMIC_SECTION(name) {
      const auto honest = verification::made<jacobi::solver>(on);
      sabotage(*honest);
      swap_diagonals(*honest);
    }
  });
}

TEST_CASE("each checker alone turns red at what it is for") {
  const auto bad = [](const std::vector<checkers::finding>& findings, const std::string& metric) {
    return std::any_of(findings.begin(), findings.end(),
                       [&](const auto& f) { return f.metric == metric && !f.good(); });
  };
  const auto neumann = check::expect(matrix::neumann, nx, ny, 10);
  std::vector<float> shifted = neumann->problem().x0;
  for (float& value : shifted) value += .001F;
  CHECK(bad(neumann->judge(shifted), "conservation_drift"));
  CHECK(bad(neumann->judge(neumann->problem().x0), "max_relative_error"));

  const check::converged_expectation converged(12, 9);
  std::vector<float> zero(converged.problem().x0.size(), 0.0F);
  CHECK(bad(converged.judge(zero), "backward_error"));
  CHECK(bad(converged.judge(zero), "max_relative_error"));
}
