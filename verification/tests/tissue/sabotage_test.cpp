// SPDX-License-Identifier: MIT
// Tests the tissue checks themselves: every fault below must make the verification of every variant fail.
#include "verification/tests/support/sabotage.hpp"
#include "verification/tests/support/every_variant.hpp"
#include "verification/tests/support/tissue_solvers.hpp"
#include "verification/tissue/check.hpp"

using namespace reprise;
using namespace reprise::tissue;
using tests::is_loaded;
using tests::methods_of;
namespace check = verification::tissue;

namespace {

using answer = std::vector<std::vector<double>>;

// A correct solver, except for one fault.
class sabotaged final
    : public verification::sabotaged_solver<sabotaged, solver, void(problem&), void(method&), void(double&),
                                            void(answer&), void(solver&, long)> {
 public:
  using sabotaged_solver::sabotaged_solver;
  void load(const problem& p, method scheme, double dt, precision arithmetic) override {
    honest_.load(edited(p), edited(scheme), edited(dt), arithmetic);
  }
  void reset() override { honest_.reset(); }
  void step(long count) override { perform(&solver::step, count); }
  answer state() override { return edited(honest_.state()); }
  work per_unit() const override { return honest_.per_unit(); }
};

// What the variant cannot compute does not pass either.
bool is_green(solver& s, model m, method scheme, edge border = edge::no_flux,
              precision arithmetic = precision::double_) {
  problem p = hill_problem(m, 27, 19, usual_spacing(m));
  p.border = border;
  const double dt = .7 * diffusive_step_limit(p, scheme);
  if (!is_loaded(s, p, scheme, dt, arithmetic)) return false;
  return checkers::all_good(
      check::verify(s, *check::expect_steps(p, scheme, dt, check::fewest_steps(scheme)), arithmetic));
}

// Whether verification fails with every model and method.
bool all_red(solver& s) {
  for (model m : all_models)
    for (method scheme : all_methods)
      if (has_method(m, scheme) && is_green(s, m, scheme)) return false;
  return true;
}

void sabotage(solver& honest) {
  for (model m : all_models)
    for (method scheme : methods_of(honest, m)) CHECK(is_green(honest, m, scheme));

  const auto is_first = std::make_shared<bool>();
  sabotaged::check_work(&solver::step, &solver::state, honest, all_red);
  sabotaged::check_red(
      honest,
      {{"one step short", [=](problem&) { *is_first = true; },
        [=](solver& s, long count) { s.step(std::exchange(*is_first, false) ? count : count - 1); }},
       {"one NaN", [](answer& z) { z[1][77] = not_a_number; }},
       {"truncated", [](answer& z) { z[0].pop_back(); }},
       {"lost field", [](answer& z) { z.pop_back(); }},
       {"exchanged fields", [](answer& z) { std::swap(z[0], z[1]); }},
       {"exchanged cells", [](answer& z) { std::swap(z[0][5 * 27 + 12], z[0][5 * 27 + 13]); }},
       {"other spacing", [](problem& p) { p.dx *= 1.001; }},
       {"other step", [](double& dt) { dt *= 1 + 1e-6; }},
       {"raised cell", [](problem& p) { p.state0[0][5 * 27 + 12] += 1e-6; }},
       {"other method",
        [](method& scheme) { scheme = scheme == method::euler ? method::heun : method::euler; }}},
      all_red);
}

// Faults as small as single precision can show, and those that its own kernels could have.
void sabotage_single(solver& honest) {
  const auto is_green_in_single = [](solver& s, model m, method scheme) {
    return is_green(s, m, scheme, edge::no_flux, precision::single);
  };
  std::vector<std::pair<model, method>> cases{{model::fitzhugh_nagumo, method::heun},
                                              {model::karma, method::runge_kutta},
                                              {model::bueno_orovio, method::rush_larsen}};
  std::erase_if(
      cases, [&](const auto& c) { return std::ranges::count(methods_of(honest, c.first), c.second) == 0; });
  for (const auto& [m, scheme] : cases) CHECK(is_green_in_single(honest, m, scheme));
  const auto all_red_in_single = [=](solver& s) {
    return std::ranges::none_of(cases,
                                [&](const auto& c) { return is_green_in_single(s, c.first, c.second); });
  };
  sabotaged::check_red(
      honest,
      {{"one NaN", [](answer& z) { z[1][77] = not_a_number; }},
       {"truncated", [](answer& z) { z[0].pop_back(); }},
       {"exchanged cells", [](answer& z) { std::swap(z[0][5 * 27 + 12], z[0][5 * 27 + 13]); }},
       {"other spacing", [](problem& p) { p.dx *= 1.01; }},
       {"other step", [](double& dt) { dt *= 1 + 1e-2; }},
       {"raised cell", [](problem& p) { p.state0[0][5 * 27 + 12] += 1e-2; }},
       {"one step short", [](solver& s, long count) { s.step(count - 1); }}},
      all_red_in_single);
}

// Faults that show in some models only, each in one where it does.
void sabotage_options(solver& honest) {
  const auto is_red_in = [](model m, method scheme, edge border = edge::no_flux) {
    return [=](solver& s) { return !is_green(s, m, scheme, border); };
  };
  const sabotaged::fault_type other_form{"other form", [](problem& p) { p.form = switch_form::quintic; }};
  sabotaged::check_red(honest, {other_form, {"bent", [](problem& p) { p.replaces_tanh = true; }}},
                       is_red_in(model::karma, method::runge_kutta));
  sabotaged::check_red(honest, {other_form}, is_red_in(model::bueno_orovio, method::runge_kutta));
  sabotaged::check_red(honest, {{"other width", [](problem& p) { p.steepness *= 1.01; }}},
                       is_red_in(model::karma, methods_of(honest, model::karma).back()));
  sabotaged::check_red(honest, {{"sharp", [](problem& p) { p.has_sharp_constants = true; }}},
                       is_red_in(model::bueno_orovio, methods_of(honest, model::bueno_orovio).front()));

  const sabotaged::fault_type gates_exchanged{
      "gates exchanged", [](method& scheme) {
        scheme = scheme == method::rush_larsen ? method::implicit_euler : method::rush_larsen;
      }};
  for (method scheme : {method::rush_larsen, method::implicit_euler})
    sabotaged::check_red(honest, {gates_exchanged}, is_red_in(model::bueno_orovio, scheme));

  const method first = methods_of(honest, model::fitzhugh_nagumo).front();
  for (const auto& [right, wrong] : {std::pair{edge::no_flux, edge::mirrored},
                                     {edge::mirrored, edge::periodic},
                                     {edge::periodic, edge::no_flux}}) {
    sabotaged::check_red(honest, {{"other border", [to = wrong](problem& p) { p.border = to; }}},
                         is_red_in(model::fitzhugh_nagumo, first, right));
    CHECK(is_green(honest, model::fitzhugh_nagumo, first, right));
  }
}

}  // namespace

TEST_CASE("no sabotaged tissue variant passes", "[standard]") {
  verification::in_sections<solver>("tissue", [](solver& honest, const harness::target& on) {
    if (std::ranges::count(on.variant->data.precisions, precision::single) > 0) sabotage_single(honest);
    sabotage(honest);
    sabotage_options(honest);
  });
}
