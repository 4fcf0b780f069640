// SPDX-License-Identifier: MIT
// Tests the jacobi checks themselves: every fault below must make the verification of every variant fail.
#include "verification/tests/support/sabotage.hpp"
#include "verification/jacobi/check.hpp"
#include "verification/tests/support/every_variant.hpp"

using namespace reprise;
using namespace reprise::jacobi;
namespace check = verification::jacobi;

namespace {

using answer = std::vector<float>;

// A correct solver, except for one fault.
class sabotaged final : public verification::sabotaged_solver<sabotaged, solver, void(problem&),
                                                              void(answer&), void(solver&, int)> {
 public:
  using sabotaged_solver::sabotaged_solver;
  void load(const problem& p) override { honest_.load(edited(p)); }
  void reset() override { honest_.reset(); }
  void sweep(int count) override { perform(&solver::sweep, count); }
  answer solution() override { return edited(honest_.solution()); }
};

constexpr int nx = 37;
constexpr int ny = 23;

bool is_green(solver& s, matrix kind) {
  const auto e = check::expect(kind, nx, ny, 10);
  s.load(e->problem());
  return checkers::all_good(check::verify(s, *e));
}

// Whether verification fails with all matrices that the variant accepts: the two symmetric ones and, if
// possible, the unsymmetric one.
bool all_red(solver& s) {
  int tried = 0;
  for (matrix kind : all_matrices) try {
      if (is_green(s, kind)) return false;
      ++tried;
    } catch (const unavailable&) {
    }
  return tried > 0;
}

void sabotage(solver& honest) {
  CHECK(is_green(honest, matrix::pinned));
  sabotaged::check_work(&solver::sweep, &solver::solution, honest, all_red);
  sabotaged::check_red(
      honest,
      {{"one sweep short", [](solver& s, int count) { s.sweep(count - 1); }},
       {"one NaN", [](answer& x) { x[x.size() / 2] = std::numeric_limits<float>::quiet_NaN(); }},
       {"wrong first row", [](answer& x) { std::copy_n(x.begin() + nx, nx, x.begin()); }},
       {"wrong last column",
        [](answer& x) {
          for (std::size_t i = nx - 1; i < x.size(); i += nx) x[i] = x[i - 1];
        }},
       {"transposed nodes", [](answer& x) { std::swap(x[40], x[41]); }},
       {"truncated", [](answer& x) { x.pop_back(); }},
       {"scaled coefficient",
        [](problem& p) {
          for (float& d : p.diagonals[4]) d *= 1.001F;
        }},
       {"wrong weight", [](problem& p) { p.omega *= .99F; }},
       {"right-hand side forgotten", [](problem& p) { p.f.assign(p.f.size(), 0.0F); }}},
      all_red);
}

// Only the unsymmetric matrix distinguishes diagonals that are equal in symmetric matrices.
void swap_diagonals(solver& honest) {
  const auto e = check::expect(matrix::unsymmetric, nx, ny, 10);
  for (auto [a, b] : {std::pair{0U, 8U}, {1U, 7U}, {2U, 6U}, {3U, 5U}, {0U, 2U}}) {
    sabotaged swapped(honest, {"swapped diagonals",
                               [a = a, b = b](problem& p) { std::swap(p.diagonals[a], p.diagonals[b]); }});
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
  verification::in_sections<solver>("jacobi", [](solver& honest, const harness::target&) {
    sabotage(honest);
    swap_diagonals(honest);
  });
}

TEST_CASE("each checker alone turns red at what it is for") {
  const auto bad = [](const std::vector<checkers::finding>& findings, const std::string& metric) {
    return std::ranges::any_of(findings, [&](const auto& f) { return f.metric == metric && !f.good(); });
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
