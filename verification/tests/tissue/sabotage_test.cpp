// SPDX-License-Identifier: MIT
// Tests the tissue checks themselves: every fault below must make the verification of every variant fail.
#include <catch2/catch_test_macros.hpp>
#include <limits>
#include <utility>

#include "verification/tests/support/every_variant.hpp"
#include "verification/tests/support/sabotage.hpp"
#include "verification/tissue/check.hpp"

using namespace reprise;
using namespace reprise::tissue;
namespace check = verification::tissue;

namespace {

using answer = std::vector<std::vector<double>>;

// A correct solver, except for one fault.
class sabotaged final
    : public verification::sabotaged_solver<sabotaged, solver, void(problem&), void(method&), void(double&),
                                            void(answer&), void(solver&, long)> {
 public:
  using sabotaged_solver::sabotaged_solver;
  void load(const problem& p, method m, double dt) override {
    honest_.load(edited(p), edited(m), edited(dt));
  }
  void reset() override { honest_.reset(); }
  void step(long count) override { perform(&solver::step, count); }
  answer state() override { return edited(honest_.state()); }
  work per_unit() const override { return honest_.per_unit(); }
};

bool is_green(solver& s, model what, method how, edge border = edge::no_flux) {
  problem p = hill_problem(what, 27, 19, usual_spacing(what));
  p.border = border;
  const double dt = .7 * diffusive_step_limit(p, how);
  s.load(p, how, dt);
  return checkers::all_good(check::verify(s, *check::expect_steps(p, how, dt, check::fewest_steps(how))));
}

// Whether verification fails with every model and method.
bool all_red(solver& s) {
  for (model what : all_models)
    for (method how : all_methods)
      if (has_method(what, how) && is_green(s, what, how)) return false;
  return true;
}

void sabotage(solver& honest) {
  for (model what : all_models)
    for (method how : all_methods)
      if (has_method(what, how)) CHECK(is_green(honest, what, how));

  const auto is_first = std::make_shared<bool>();
  sabotaged::check_work(&solver::step, &solver::state, honest, all_red);
  sabotaged::check_red(
      honest,
      {{"one step short", [=](problem&) { *is_first = true; },
        [=](solver& s, long count) { s.step(std::exchange(*is_first, false) ? count : count - 1); }},
       {"one NaN", [](answer& z) { z[1][77] = std::numeric_limits<double>::quiet_NaN(); }},
       {"truncated", [](answer& z) { z[0].pop_back(); }},
       {"lost field", [](answer& z) { z.pop_back(); }},
       {"exchanged fields", [](answer& z) { std::swap(z[0], z[1]); }},
       {"exchanged cells", [](answer& z) { std::swap(z[0][5 * 27 + 12], z[0][5 * 27 + 13]); }},
       {"other spacing", [](problem& p) { p.dx *= 1.001; }},
       {"other step", [](double& dt) { dt *= 1 + 1e-6; }},
       {"raised cell", [](problem& p) { p.state0[0][5 * 27 + 12] += 1e-6; }},
       {"other method", [](method& how) { how = how == method::euler ? method::heun : method::euler; }}},
      all_red);
}

// Faults that show in some models only, each in one where it does.
void sabotage_options(solver& honest) {
  const auto is_red_in = [](model what, method how, edge border = edge::no_flux) {
    return [=](solver& s) { return !is_green(s, what, how, border); };
  };
  const sabotaged::fault_type other_form{"other form", [](problem& p) { p.form = switch_form::quintic; }};
  sabotaged::check_red(honest, {other_form, {"bent", [](problem& p) { p.replaces_tanh = true; }}},
                       is_red_in(model::karma, method::runge_kutta));
  sabotaged::check_red(honest, {other_form}, is_red_in(model::bueno_orovio, method::runge_kutta));
  sabotaged::check_red(honest, {{"other width", [](problem& p) { p.steepness *= 1.01; }}},
                       is_red_in(model::karma, method::heun));
  sabotaged::check_red(honest, {{"sharp", [](problem& p) { p.has_sharp_constants = true; }}},
                       is_red_in(model::bueno_orovio, method::euler));

  const sabotaged::fault_type gates_exchanged{
      "gates exchanged",
      [](method& how) { how = how == method::rush_larsen ? method::implicit_euler : method::rush_larsen; }};
  for (method how : {method::rush_larsen, method::implicit_euler})
    sabotaged::check_red(honest, {gates_exchanged}, is_red_in(model::bueno_orovio, how));

  for (const auto& [right, wrong] : {std::pair{edge::no_flux, edge::mirrored},
                                     {edge::mirrored, edge::periodic},
                                     {edge::periodic, edge::no_flux}}) {
    sabotaged::check_red(honest, {{"other border", [to = wrong](problem& p) { p.border = to; }}},
                         is_red_in(model::fitzhugh_nagumo, method::euler, right));
    CHECK(is_green(honest, model::fitzhugh_nagumo, method::euler, right));
  }
}

}  // namespace

TEST_CASE("no sabotaged tissue variant passes", "[standard]") {
  verification::for_every_target("tissue", [](const harness::target& on, const std::string& name) {
    DYNAMIC_SECTION(name) {
      const auto honest = verification::made<solver>(on);
      sabotage(*honest);
      sabotage_options(*honest);
    }
  });
}
