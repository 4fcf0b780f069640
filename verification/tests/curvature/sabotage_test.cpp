// SPDX-License-Identifier: MIT
// Tests the curvature checks themselves: every fault below must make the verification of every variant fail.
#include "verification/tests/support/sabotage.hpp"
#include "verification/tests/support/curvature_surfaces.hpp"

using namespace reprise::curvature::tests;

namespace {

using answer = surface;

// A correct solver, except for one fault.
class sabotaged final : public verification::sabotaged_solver<sabotaged, solver, void(problem&),
                                                              void(answer&), merson(solver&, double)> {
 public:
  using sabotaged_solver::sabotaged_solver;
  void load(const problem& p, precision arithmetic) override { honest_.load(edited(p), arithmetic); }
  void reset(const control& c) override { honest_.reset(c); }
  merson advance(double t_end) override { return perform(&solver::advance, t_end); }
  answer surface() override { return edited(honest_.surface()); }
  work per_unit() const override { return honest_.per_unit(); }
  integrator method() const override { return honest_.method(); }
};

constexpr int cells_x = 17;
constexpr int cells_y = 12;

// What the variant cannot compute does not pass either.
bool is_green(solver& s, flow motion, boundary at_border, precision arithmetic) {
  const problem p = skew_problem(motion, at_border, cells_x, cells_y);
  if (!is_loaded(s, p, arithmetic)) return false;
  return checkers::all_good(
      check::verify(s, *check::expect_steps(p, check::start::skew, s.method()), arithmetic));
}

// The flows that the variant can compute: all of them, or mean-curvature flow only.
std::vector<flow> flows_of(solver& s) {
  const problem p = skew_problem(flow::willmore, boundary::dirichlet, cells_x, cells_y);
  if (!is_loaded(s, p, precision::double_)) return {flow::mean_curvature};
  return {all_flows.begin(), all_flows.end()};
}

// Whether verification fails in every flow, setting and precision.
bool all_red(solver& s) {
  for (flow motion : flows_of(s))
    for (boundary at_border : all_boundaries)
      for (precision arithmetic : {precision::single, precision::double_})
        if (is_green(s, motion, at_border, arithmetic)) return false;
  return true;
}

void sabotage(solver& honest) {
  for (flow motion : flows_of(honest))
    for (boundary at_border : all_boundaries) CHECK(is_green(honest, motion, at_border, precision::double_));

  sabotaged::check_work(&solver::advance, &solver::surface, honest, all_red);
  sabotaged::check_red(
      honest,
      {{"stops early", [](solver& s, double t_end) { return s.advance(.95 * t_end); }},
       {"one NaN", [](answer& u) { u[u.size() / 2] = not_a_number; }},
       {"truncated", [](answer& u) { u.pop_back(); }},
       {"swapped nodes", [](answer& u) { std::swap(u[40], u[41]); }},
       {"shifted row",
        [](answer& u) {
          constexpr std::ptrdiff_t row = cells_x + 1;
          std::copy(u.begin() + 3 * row, u.begin() + 4 * row, u.begin() + 4 * row);
        }},
       {"other flow",
        [](problem& p) { p.flow = p.flow == flow::willmore ? flow::mean_curvature : flow::willmore; }},
       {"other width", [](problem& p) { p.half_width *= 1.02; }},
       {"raised node", [](problem& p) { p.u0[3 * (cells_x + 1) + 5] += 1e-3; }}},
      all_red);
}

// Faults that show in some settings only, each in one where it does.
void sabotage_settings(solver& honest) {
  for (flow motion : flows_of(honest)) {
    const auto is_red_in = [motion](boundary at_border) {
      return [motion, at_border](solver& s) { return !is_green(s, motion, at_border, precision::double_); };
    };
    sabotaged::check_red(honest,
                         {{"forgotten forcing", [](problem& p) { p.boundary = boundary::dirichlet; }}},
                         is_red_in(boundary::manufactured));
    sabotaged::check_red(honest, {{"fixed border", [](problem& p) { p.boundary = boundary::dirichlet; }}},
                         is_red_in(boundary::neumann));
    sabotaged::check_red(honest,
                         {{"copied border", [](problem& p) { p.boundary = boundary::neumann; }},
                          {"wrong estimate",
                           [](solver& s, double t_end) {
                             merson m = s.advance(t_end);
                             m.error *= 1.001;
                             return m;
                           }}},
                         is_red_in(boundary::dirichlet));
  }
}

}  // namespace

TEST_CASE("no sabotaged curvature variant passes", "[standard]") {
  verification::in_sections<solver>("curvature", [](solver& honest, const harness::target&) {
    sabotage(honest);
    sabotage_settings(honest);
  });
}
