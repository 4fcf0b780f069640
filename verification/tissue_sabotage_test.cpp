// SPDX-License-Identifier: MIT
// What decides whether a tissue answer is right is itself checked: every way of being wrong below must turn
// every variant red.
#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <limits>
#include <utility>

#include "solvers/common/error.hpp"
#include "verification/every_variant.hpp"
#include "verification/tissue_check.hpp"

using namespace reprise;
using namespace reprise::tissue;
namespace check = verification::tissue;

namespace {

using state_type = std::vector<std::vector<double>>;

// A solver that does its work but for one fault.
class sabotaged : public solver {
 public:
  explicit sabotaged(solver& honest) : honest_(honest) {}
  void load(const problem& p, method m, double dt) override { honest_.load(p, m, dt); }
  void reset() override { honest_.reset(); }
  void step(long count) override { honest_.step(count); }
  state_type state() override { return honest_.state(); }
  stopwatch& clock() override { return honest_.clock(); }
  work per_unit() const override { return honest_.per_unit(); }

 protected:
  solver& honest_;
};

struct idle final : sabotaged {
  using sabotaged::sabotaged;
  void step(long) override {}
};

struct stale final : sabotaged {
  using sabotaged::sabotaged;
  void step(long count) override {
    answer_ = honest_.state();
    honest_.step(count);
  }
  state_type state() override { return answer_; }
  state_type answer_;
};

struct one_step_short final : sabotaged {
  using sabotaged::sabotaged;
  void reset() override {
    is_first_ = true;
    honest_.reset();
  }
  void step(long count) override {
    honest_.step(is_first_ ? count : count - 1);
    is_first_ = false;
  }
  bool is_first_{true};
};

struct edited_load final : sabotaged {
  edited_load(solver& honest, std::function<void(problem&, method&, double&)> edit)
      : sabotaged(honest), edit_(std::move(edit)) {}
  void load(const problem& p, method m, double dt) override {
    problem other = p;
    edit_(other, m, dt);
    honest_.load(other, m, dt);
  }
  std::function<void(problem&, method&, double&)> edit_;
};

struct edited_answer final : sabotaged {
  edited_answer(solver& honest, std::function<void(state_type&)> edit)
      : sabotaged(honest), edit_(std::move(edit)) {}
  state_type state() override {
    state_type z = honest_.state();
    edit_(z);
    return z;
  }
  std::function<void(state_type&)> edit_;
};

struct failing_launch final : sabotaged {
  using sabotaged::sabotaged;
  void step(long) override { throw error("launch failed: cudaErrorLaunchFailure"); }
};

bool is_green(solver& s, model what, method how, edge border = edge::no_flux) {
  problem p = hill_problem(what, 27, 19, usual_spacing(what));
  p.border = border;
  const double dt = .7 * diffusive_step_limit(p, how);
  s.load(p, how, dt);
  return checkers::all_good(check::verify(s, *check::expect_steps(p, how, dt, check::fewest_steps(how))));
}

// With every model and method.
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

  idle no_operation(honest);
  CHECK(all_red(no_operation));
  stale old(honest);
  CHECK(all_red(old));
  one_step_short short_of(honest);
  CHECK(all_red(short_of));
  edited_answer one_nan(honest, [](auto& z) { z[1][77] = std::numeric_limits<double>::quiet_NaN(); });
  CHECK(all_red(one_nan));
  edited_answer truncated(honest, [](auto& z) { z[0].pop_back(); });
  CHECK(all_red(truncated));
  edited_answer lost_field(honest, [](auto& z) { z.pop_back(); });
  CHECK(all_red(lost_field));
  edited_answer exchanged_fields(honest, [](auto& z) { std::swap(z[0], z[1]); });
  CHECK(all_red(exchanged_fields));
  edited_answer exchanged_cells(honest, [](auto& z) { std::swap(z[0][5 * 27 + 12], z[0][5 * 27 + 13]); });
  CHECK(all_red(exchanged_cells));
  edited_load other_spacing(honest, [](problem& p, method&, double&) { p.dx *= 1.001; });
  CHECK(all_red(other_spacing));
  edited_load other_step(honest, [](problem&, method&, double& dt) { dt *= 1 + 1e-6; });
  CHECK(all_red(other_step));
  edited_load raised_cell(honest, [](problem& p, method&, double&) { p.state0[0][5 * 27 + 12] += 1e-6; });
  CHECK(all_red(raised_cell));
  edited_load other_method(honest, [](problem&, method& how, double&) {
    how = how == method::euler ? method::heun : method::euler;
  });
  CHECK(all_red(other_method));

  failing_launch failing(honest);
  CHECK_THROWS_AS(all_red(failing), error);
}

// Faults that not every model can show, on one that does.
void sabotage_options(solver& honest) {
  edited_load other_form(honest, [](problem& p, method&, double&) { p.form = switch_form::quintic; });
  edited_load other_width(honest, [](problem& p, method&, double&) { p.steepness *= 1.01; });
  edited_load sharp(honest, [](problem& p, method&, double&) { p.has_sharp_constants = true; });
  edited_load bent(honest, [](problem& p, method&, double&) { p.replaces_tanh = true; });
  CHECK_FALSE(is_green(other_form, model::karma, method::runge_kutta));
  CHECK_FALSE(is_green(other_form, model::bueno_orovio, method::runge_kutta));
  CHECK_FALSE(is_green(other_width, model::karma, method::heun));
  CHECK_FALSE(is_green(sharp, model::bueno_orovio, method::euler));
  CHECK_FALSE(is_green(bent, model::karma, method::runge_kutta));

  edited_load gates_exchanged(honest, [](problem&, method& how, double&) {
    how = how == method::rush_larsen ? method::implicit_euler : method::rush_larsen;
  });
  CHECK_FALSE(is_green(gates_exchanged, model::bueno_orovio, method::rush_larsen));
  CHECK_FALSE(is_green(gates_exchanged, model::bueno_orovio, method::implicit_euler));

  for (const auto& [right, wrong] : {std::pair{edge::no_flux, edge::mirrored},
                                     {edge::mirrored, edge::periodic},
                                     {edge::periodic, edge::no_flux}}) {
    edited_load other_border(honest, [to = wrong](problem& p, method&, double&) { p.border = to; });
    CHECK_FALSE(is_green(other_border, model::fitzhugh_nagumo, method::euler, right));
    CHECK(is_green(honest, model::fitzhugh_nagumo, method::euler, right));
  }
}

}  // namespace

TEST_CASE("no sabotaged tissue variant passes") {
  verification::for_every_target("tissue", [](const harness::target& on, const std::string& name) {
    DYNAMIC_SECTION(name) {
      const auto honest = verification::made<solver>(on);
      sabotage(*honest);
      sabotage_options(*honest);
    }
  });
}
