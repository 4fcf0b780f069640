// SPDX-License-Identifier: MIT
// Tests the atrium checks themselves: every fault below must make the verification of every variant fail.
#include "verification/tests/support/sabotage.hpp"
#include "verification/atrium/states.hpp"
#include "verification/tests/support/atrium_runs.hpp"

using namespace reprise::atrium::tests;

namespace {

using answer = std::vector<cell_state>;

// A correct solver, except for one fault.
class sabotaged final
    : public verification::sabotaged_solver<sabotaged, solver, void(problem&), void(control&), void(answer&),
                                            void(recording&), progress(solver&, double)> {
 public:
  using sabotaged_solver::sabotaged_solver;
  void load(const problem& p, precision arithmetic) override { honest_.load(edited(p), arithmetic); }
  void reset(const control& c) override { honest_.reset(edited(c)); }
  progress advance(double t_end) override { return perform(&solver::advance, t_end); }
  answer state() override { return edited(honest_.state()); }
  recording recorded() override { return edited(honest_.recorded()); }
  work per_unit() const override { return honest_.per_unit(); }
};

constexpr int subdivisions = 1;

// A method and precision that the variant supports.
struct task {
  scheme method;
  gate_rule rule;
  precision arithmetic;

  bool is_green(solver& s) const {
    return checkers::all_good(check::verify(s, subdivisions, method, rule, arithmetic));
  }
  bool is_double() const { return arithmetic == precision::double_; }
};

std::vector<task> tasks_of(solver& s, std::string_view id, const variant_data& data) {
  std::vector<task> tasks;
  if (is_black_box(id)) return {{scheme::black_box, plain, precision::double_}};
  for (precision arithmetic : data.precisions) {
    s.load(verification::atrium::skew_problem(subdivisions), arithmetic);
    for (scheme method : all_runge_kutta)
      for (gate_rule rule : all_gate_rules) try {
          s.reset(fixed_steps(method, rule, .01));
          tasks.push_back({method, rule, arithmetic});
        } catch (const unavailable&) {
        }
  }
  return tasks;
}

// Whether verification fails with every method of the variant.
bool all_red(solver& s, const std::vector<task>& tasks) {
  return std::ranges::none_of(tasks, [&](const task& t) { return t.is_green(s); });
}

void sabotage(solver& honest, const std::vector<task>& tasks) {
  for (const task& t : tasks) CHECK(t.is_green(honest));

  const auto is_red = [&](solver& s) { return all_red(s, tasks); };
  sabotaged::check_work(&solver::advance, &solver::state, honest, is_red);
  sabotaged::check_red(
      honest,
      {{"stops early", [](solver& s, double t_end) { return s.advance(.99 * t_end); }},
       {"one NaN", [](answer& y) { y[30][at_xs] = not_a_number; }},
       {"truncated", [](answer& y) { y.pop_back(); }},
       {"swapped cells", [](answer& y) { std::swap(y[20], y[21]); }},
       {"swapped gates", [](answer& y) { std::swap(y[20][at_d], y[20][at_f]); }},
       {"swapped samples", [](recording& r) { std::swap(r.v.end()[-1], r.v.end()[-2]); }},
       {"lost sample",
        [](recording& r) { r.v.resize(r.v.size() - r.v.size() / r.t.size()), r.t.pop_back(); }},
       {"missing neighbour", [](problem& p) { p.mesh.weight[17][3] = 0; }},
       {"wrong neighbour", [](problem& p) { p.mesh.neighbours[17][3] = 5; }},
       {"other diffusion", [](problem& p) { p.diffusion *= 1.01; }},
       {"no stimulus", [](problem& p) { std::fill(p.stimulated.begin(), p.stimulated.end(), 0); }},
       {"raised cell", [](problem& p) { p.state0[17][at_v] += .05; }}},
      is_red);

  // These faults are too small to be seen in single precision within a few steps.
  std::vector<task> in_double = tasks;
  std::erase_if(in_double, [](const task& t) { return !t.is_double(); });
  sabotaged::check_red(
      honest,
      {{"frozen gate",
        [](answer& y) { y[20][at_oi] = check::covering_problem(subdivisions, rl).state0[20][at_oi]; }},
       {"more acetylcholine", [](problem& p) { p.cell.acetylcholine *= 1.05; }},
       {"potassium", [](problem& p) { p.cell.acetylcholine_carries_potassium = false; }}},
      [&](solver& s) { return all_red(s, in_double); });
}

// The two midpoint methods differ in what Rush-Larsen does.
bool are_same(const task& a, const task& b) {
  const auto is_midpoint = [](const task& t) {
    return t.rule == plain && (t.method == scheme::midpoint || t.method == scheme::exponential_midpoint);
  };
  return is_midpoint(a) && is_midpoint(b);
}

// Uses another method, which has the effect of a wrong or swapped coefficient.
void sabotage_methods(solver& honest, const std::vector<task>& tasks) {
  for (const task& right : tasks)
    for (const task& wrong : tasks) {
      const bool is_other_method = right.method != wrong.method && right.rule == wrong.rule;
      const bool is_other_rule = right.method == wrong.method && right.rule != wrong.rule;
      if (!right.is_double() || !wrong.is_double()) continue;
      if ((!is_other_method && !is_other_rule) || are_same(right, wrong)) continue;
      sabotaged swapped(honest, {"swapped methods", [&wrong](control& c) {
                                   c.method = wrong.method;
                                   c.gates = wrong.rule;
                                 }});
      CHECK_FALSE(right.is_green(swapped));
    }
  for (const task& t : tasks) {
    if (!is_pair(t.method) || !t.is_double()) continue;
    sabotaged estimate(honest, {"wrong estimate", [](solver& s, double t_end) {
                                  progress end = s.advance(t_end);
                                  end.error *= 1.001;
                                  return end;
                                }});
    CHECK_FALSE(t.is_green(estimate));
  }
}

void sabotage_black_box(solver& honest, const task& its_own) {
  sabotaged::check_red(honest,
                       {{"loose",
                         [](control& c) {
                           c.at *= 1e4;
                           c.rt *= 1e4;
                         }},
                        {"unrecorded", [](control& c) { c.record_every = 0; }},
                        {"every other", [](control& c) { c.record_every = 2; }},
                        {"later", [](problem& p) { p.protocol.stimuli[0].start += 1e-4; }}},
                       [&](solver& s) { return !its_own.is_green(s); });
}

// Faults that show in a whole adaptive run.
void sabotage_runs(solver& honest) {
  const auto is_run_green = [](solver& s) {
    return checkers::all_good(
        check::verify(s, *check::expect_run(scheme::bogacki_shampine), precision::double_));
  };
  CHECK(is_run_green(honest));
  sabotaged::check_red(honest,
                       {{"tighter", [](control& c) { c.at *= .9; }},
                        {"shorter first", [](control& c) { c.dt *= .5; }},
                        {"unrecorded", [](control& c) { c.record_every = 0; }},
                        {"wrong sample", [](recording& r) { r.v.at(r.v.size() / 2) += 1; }},
                        {"later", [](problem& p) { p.protocol.stimuli[0].start += .01; }}},
                       [&](solver& s) { return !is_run_green(s); });
}

}  // namespace

TEST_CASE("no sabotaged atrium variant passes", "[standard]") {
  verification::in_sections<solver>("atrium", [](solver& honest, const harness::target& on) {
    const std::vector<task> tasks = tasks_of(honest, on.variant->id, on.variant->data);
    REQUIRE(!tasks.empty());
    sabotage(honest, tasks);
    if (is_black_box(on.variant->id)) sabotage_black_box(honest, tasks.front());
    sabotage_methods(honest, tasks);
    const bool has_pairs =
        std::ranges::any_of(tasks, [](const task& t) { return is_pair(t.method) && t.is_double(); });
    if (on.device.kind != backend::emulated && has_pairs) sabotage_runs(honest);
  });
}
