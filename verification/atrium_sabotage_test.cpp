// SPDX-License-Identifier: MIT
// What decides whether an atrium answer is right is itself checked: every way of being wrong below must turn
// every variant red.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <limits>
#include <string_view>

#include "solvers/common/error.hpp"
#include "verification/atrium_check.hpp"
#include "verification/every_variant.hpp"

using namespace reprise;
using namespace reprise::atrium;
namespace check = verification::atrium;

namespace {

// A solver that does its work but for one fault.
class sabotaged : public solver {
 public:
  explicit sabotaged(solver& honest) : honest_(honest) {}
  void load(const problem& p, precision arithmetic) override { honest_.load(p, arithmetic); }
  void reset(const control& c) override { honest_.reset(c); }
  progress advance(double t_end) override { return honest_.advance(t_end); }
  std::vector<cell_state> state() override { return honest_.state(); }
  recording recorded() override { return honest_.recorded(); }
  stopwatch& clock() override { return honest_.clock(); }
  work per_unit() const override { return honest_.per_unit(); }

 protected:
  solver& honest_;
};

struct idle final : sabotaged {
  using sabotaged::sabotaged;
  progress advance(double) override { return {}; }
};

struct stale final : sabotaged {
  using sabotaged::sabotaged;
  progress advance(double t_end) override {
    answer_ = honest_.state();
    return honest_.advance(t_end);
  }
  std::vector<cell_state> state() override { return answer_; }
  std::vector<cell_state> answer_;
};

struct stops_early final : sabotaged {
  using sabotaged::sabotaged;
  progress advance(double t_end) override { return honest_.advance(.99 * t_end); }
};

struct wrong_estimate final : sabotaged {
  using sabotaged::sabotaged;
  progress advance(double t_end) override {
    progress s = honest_.advance(t_end);
    s.error *= 1.001;
    return s;
  }
};

struct edited_problem final : sabotaged {
  edited_problem(solver& honest, std::function<void(problem&)> edit)
      : sabotaged(honest), edit_(std::move(edit)) {}
  void load(const problem& p, precision arithmetic) override {
    problem other = p;
    edit_(other);
    honest_.load(other, arithmetic);
  }
  std::function<void(problem&)> edit_;
};

struct edited_control final : sabotaged {
  edited_control(solver& honest, std::function<void(control&)> edit)
      : sabotaged(honest), edit_(std::move(edit)) {}
  void reset(const control& c) override {
    control other = c;
    edit_(other);
    honest_.reset(other);
  }
  std::function<void(control&)> edit_;
};

struct edited_answer final : sabotaged {
  edited_answer(solver& honest, std::function<void(std::vector<cell_state>&)> edit)
      : sabotaged(honest), edit_(std::move(edit)) {}
  std::vector<cell_state> state() override {
    auto y = honest_.state();
    edit_(y);
    return y;
  }
  std::function<void(std::vector<cell_state>&)> edit_;
};

struct failing_launch final : sabotaged {
  using sabotaged::sabotaged;
  progress advance(double) override { throw error("launch failed: cudaErrorLaunchFailure"); }
};

constexpr int subdivisions = 1;

// Of a variant that has only some methods, and only some precisions.
struct task {
  scheme method;
  gate_rule rule;
  precision arithmetic;
};

std::vector<task> tasks_of(solver& s, std::string_view id, const variant_data& data) {
  std::vector<task> tasks;
  if (is_black_box(id)) return {{scheme::black_box, gate_rule::plain, precision::double_}};
  for (precision arithmetic : data.precisions) {
    s.load(skew_problem(subdivisions), arithmetic);
    for (scheme method : all_runge_kutta)
      for (gate_rule rule : all_gate_rules) try {
          s.reset(fixed_steps(method, rule, .01));
          tasks.push_back({method, rule, arithmetic});
        } catch (const unavailable&) {
        }
  }
  return tasks;
}

bool is_green(solver& s, scheme method, gate_rule rule, precision arithmetic) {
  return checkers::all_good(check::verify(s, subdivisions, method, rule, arithmetic));
}

// With every method that it has.
bool all_red(solver& s, const std::vector<task>& tasks) {
  for (const task& t : tasks)
    if (is_green(s, t.method, t.rule, t.arithmetic)) return false;
  return true;
}

void sabotage(solver& honest, const std::vector<task>& tasks) {
  for (const task& t : tasks) CHECK(is_green(honest, t.method, t.rule, t.arithmetic));

  idle no_operation(honest);
  CHECK(all_red(no_operation, tasks));
  stale old(honest);
  CHECK(all_red(old, tasks));
  stops_early short_of(honest);
  CHECK(all_red(short_of, tasks));
  edited_answer one_nan(honest, [](auto& y) { y[30][at_xs] = std::numeric_limits<double>::quiet_NaN(); });
  CHECK(all_red(one_nan, tasks));
  edited_answer truncated(honest, [](auto& y) { y.pop_back(); });
  CHECK(all_red(truncated, tasks));
  edited_answer swapped_cells(honest, [](auto& y) { std::swap(y[20], y[21]); });
  CHECK(all_red(swapped_cells, tasks));
  edited_answer swapped_gates(honest, [](auto& y) { std::swap(y[20][at_d], y[20][at_f]); });
  CHECK(all_red(swapped_gates, tasks));

  edited_problem missing_neighbour(honest, [](problem& p) { p.where.weight[17][3] = 0; });
  CHECK(all_red(missing_neighbour, tasks));
  edited_problem wrong_neighbour(honest, [](problem& p) { p.where.neighbours[17][3] = 5; });
  CHECK(all_red(wrong_neighbour, tasks));
  edited_problem other_diffusion(honest, [](problem& p) { p.diffusion *= 1.01; });
  CHECK(all_red(other_diffusion, tasks));
  edited_problem no_stimulus(honest,
                             [](problem& p) { std::fill(p.stimulated.begin(), p.stimulated.end(), 0); });
  CHECK(all_red(no_stimulus, tasks));
  edited_problem raised_cell(honest, [](problem& p) { p.state0[17][at_v] += .05; });
  CHECK(all_red(raised_cell, tasks));

  // Too small for single precision within a few steps.
  std::vector<task> in_double = tasks;
  std::erase_if(in_double, [](const task& t) { return t.arithmetic == precision::single; });
  edited_answer frozen_gate(honest,
                            [](auto& y) { y[20][at_oi] = skew_problem(subdivisions).state0[20][at_oi]; });
  CHECK(all_red(frozen_gate, in_double));
  edited_problem more_acetylcholine(honest, [](problem& p) { p.cell.acetylcholine *= 1.05; });
  CHECK(all_red(more_acetylcholine, in_double));
  edited_problem potassium(honest, [](problem& p) { p.cell.acetylcholine_carries_potassium = false; });
  CHECK(all_red(potassium, in_double));

  failing_launch failing(honest);
  CHECK_THROWS_AS(all_red(failing, tasks), error);
}

// Another method, which is what a wrong or swapped coefficient makes of one.
void sabotage_methods(solver& honest, const std::vector<task>& tasks) {
  for (const task& right : tasks)
    for (const task& wrong : tasks) {
      const bool is_other_method = right.method != wrong.method && right.rule == wrong.rule;
      const bool is_other_rule = right.method == wrong.method && right.rule != wrong.rule;
      if (right.arithmetic != precision::double_ || wrong.arithmetic != precision::double_) continue;
      if (!is_other_method && !is_other_rule) continue;
      edited_control swapped(honest, [&wrong](control& c) {
        c.method = wrong.method;
        c.gates = wrong.rule;
      });
      CHECK_FALSE(is_green(swapped, right.method, right.rule, precision::double_));
    }
  for (const task& t : tasks) {
    if (!is_pair(t.method) || t.arithmetic != precision::double_) continue;
    wrong_estimate estimate(honest);
    CHECK_FALSE(is_green(estimate, t.method, t.rule, precision::double_));
  }
}

void sabotage_black_box(solver& honest) {
  const auto is_box_green = [](solver& s) {
    return is_green(s, scheme::black_box, gate_rule::plain, precision::double_);
  };
  edited_control loose(honest, [](control& c) {
    c.at *= 1e4;
    c.rt *= 1e4;
  });
  CHECK_FALSE(is_box_green(loose));
  edited_control unrecorded(honest, [](control& c) { c.record_every = 0; });
  CHECK_FALSE(is_box_green(unrecorded));
  edited_control every_other(honest, [](control& c) { c.record_every = 2; });
  CHECK_FALSE(is_box_green(every_other));
  edited_problem later(honest, [](problem& p) { p.what.stimuli[0].start += 1e-4; });
  CHECK_FALSE(is_box_green(later));
}

// A whole adaptive run.
void sabotage_runs(solver& honest) {
  const auto is_run_green = [](solver& s) {
    return checkers::all_good(
        check::verify(s, *check::expect_run(scheme::bogacki_shampine), precision::double_));
  };
  CHECK(is_run_green(honest));
  edited_control tighter(honest, [](control& c) { c.at *= .9; });
  CHECK_FALSE(is_run_green(tighter));
  edited_control shorter_first(honest, [](control& c) { c.dt *= .5; });
  CHECK_FALSE(is_run_green(shorter_first));
  edited_control unrecorded(honest, [](control& c) { c.record_every = 0; });
  CHECK_FALSE(is_run_green(unrecorded));
  edited_problem later(honest, [](problem& p) { p.what.stimuli[0].start += .01; });
  CHECK_FALSE(is_run_green(later));
}

}  // namespace

TEST_CASE("no sabotaged atrium variant passes") {
  verification::for_every_target("atrium", [](const harness::target& on, const std::string& name) {
    DYNAMIC_SECTION(name) {
      const auto honest = verification::made<solver>(on);
      const std::vector<task> tasks = tasks_of(*honest, on.what->id, on.what->data);
      REQUIRE(!tasks.empty());
      sabotage(*honest, tasks);
      if (is_black_box(on.what->id)) sabotage_black_box(*honest);
      sabotage_methods(*honest, tasks);
      const bool has_pairs = std::any_of(tasks.begin(), tasks.end(), [](const task& t) {
        return is_pair(t.method) && t.arithmetic == precision::double_;
      });
      if (on.where.kind != backend::emulated && has_pairs) sabotage_runs(*honest);
    }
  });
}
