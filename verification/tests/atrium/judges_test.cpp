// SPDX-License-Identifier: MIT
// Tests the atrium's judges: with numbers that are none, with problems that are not the paper's, and on the
// branches that the checked states reach.
#include "reference/atrium/paper.hpp"
#include "verification/atrium/bad_cells.hpp"
#include "verification/atrium/controllers.hpp"
#include "verification/atrium/distances.hpp"
#include "verification/atrium/problem_check.hpp"
#include "verification/atrium/timed_run.hpp"
#include "verification/checkers/maximum.hpp"
#include "verification/tests/support/atrium_runs.hpp"

using namespace reprise::atrium::tests;

namespace {

const std::vector<double> no_numbers{not_a_number, infinity, -infinity};

// Five cells that are activated one after the other.
recording wave(std::size_t cells) {
  recording r;
  for (int n = 0; n <= 60; ++n) {
    r.t.push_back(.1 * n);
    for (std::size_t k = 0; k < cells; ++k)
      r.v.push_back(-80 + 100 * std::clamp(.1 * n - 1 - .3 * static_cast<double>(k), 0., 1.));
  }
  return r;
}

bool is_finite(const check::trajectory_errors& e) {
  for (double value : {e.rrms, e.absolute, e.relative, e.peak_safe, e.peak_safe_relative, e.curve,
                       e.curve_relative, e.shift})
    if (!std::isfinite(value)) return false;
  return true;
}

check::watched_run honest_run(const problem& p, const control& c) {
  auto s = started(p, c);
  return check::watch(*s, p, c, p.protocol.t_end, "seed", [&](double t_end) { return s->advance(t_end); });
}

}  // namespace

TEST_CASE("a voltage or a time that is no number makes all errors of a trajectory none") {
  constexpr std::size_t cells = 5;
  const recording right = wave(cells);
  REQUIRE(is_finite(check::errors_of(right, right)));
  for (double bad : no_numbers)
    for (std::size_t spoilt = 0; spoilt < cells; ++spoilt) {
      recording wrong = right;
      for (std::size_t k = 0; k <= spoilt; ++k) wrong.v[30 * cells + k] = bad;
      recording late = right;
      late.t[30] = bad;
      for (const auto& [answer, reference] :
           {std::pair{wrong, right}, {right, wrong}, {late, right}, {right, late}}) {
        const auto e = check::errors_of(answer, reference);
        for (double value : {e.rrms, e.absolute, e.relative, e.peak_safe, e.peak_safe_relative, e.curve,
                             e.curve_relative, e.shift})
          CHECK(std::isnan(value));
        CHECK_FALSE(check::judge_trajectory(answer, reference).good());
      }
    }
  recording cut = right;
  cut.v.pop_back();
  CHECK(std::isnan(check::errors_of(cut, right).rrms));
}

TEST_CASE("a shift of activations is none where a single cell has another number of them") {
  constexpr std::size_t cells = 5;
  for (std::size_t silent = 0; silent < cells; ++silent) {
    recording answer = wave(cells);
    for (std::size_t n = 0; n < answer.t.size(); ++n) answer.v[n * cells + silent] = -80;
    CHECK(std::isnan(check::errors_of(answer, wave(cells)).shift));
  }
}

TEST_CASE("a state, a sample, an error or a time that is no number fails every judge of steps") {
  for (scheme method : {scheme::euler, scheme::bogacki_shampine})
    for (int subdivisions : {0, 1}) {
      const auto expected = check::expect_steps(subdivisions, method, rl);
      const answer right = answer_of(*started(check::covering_problem(subdivisions, rl), expected->control()),
                                     check::covering_problem(subdivisions, rl), expected->control(),
                                     precision::double_, {expected->end()});
      const auto is_right = [&](const answer& a) {
        return checkers::all_good(expected->judge(a.state, a.recorded, a.end, precision::double_));
      };
      REQUIRE(is_right(right));
      std::vector<std::function<void(answer&)>> faults{
          [](answer& a) { ++a.end.accepted; },
          [](answer& a) { ++a.end.rejected; },
          [](answer& a) { ++a.end.evaluations; },
          [](answer& a) { a.end.state = ending::paused; },
          [](answer& a) { a.end.bad_cell = 3; },
          [](answer& a) { std::swap(a.recorded.v[0], a.recorded.v[1]); },
          [](answer& a) { std::swap(a.recorded.v.end()[-1], a.recorded.v.end()[-2]); },
          [](answer& a) { a.recorded.t.pop_back(); },
          [](answer& a) { a.recorded.v.pop_back(); },
          [](answer& a) { a.recorded = {}; }};
      for (double bad : no_numbers) {
        for (std::size_t n = 0; n < variables; ++n)
          faults.emplace_back([=](answer& a) { a.state[7][n] = bad; });
        faults.emplace_back([=](answer& a) { a.recorded.v[7] = bad; });
        faults.emplace_back([=](answer& a) { a.recorded.t[1] = bad; });
        faults.emplace_back([=](answer& a) { a.end.t = bad; });
        faults.emplace_back([=](answer& a) { a.end.error = bad; });
      }
      for (const auto& make : faults) {
        answer wrong = right;
        make(wrong);
        CHECK_FALSE(is_right(wrong));
      }
    }
}

// Faults of what a run leaves at a bad cell; the control differs from the honest one.
class forgetful final : public solver {
 public:
  using edit = std::function<void(answer&)>;
  explicit forgetful(edit how)
      : honest_(verification::on_host<solver>("atrium/cpu_serial")), edit_(std::move(how)) {}

  void load(const problem& p, precision arithmetic) override { honest_->load(p, arithmetic); }
  void reset(const control& c) override { honest_->reset(c); }
  progress advance(double t_end) override {
    end_ = honest_->advance(t_end);
    return edited().end;
  }
  std::vector<cell_state> state() override { return edited().state; }
  recording recorded() override { return edited().recorded; }
  stopwatch& clock() override { return honest_->clock(); }
  work per_unit() const override { return honest_->per_unit(); }

 private:
  answer edited() {
    answer a{"", end_, honest_->state(), honest_->recorded()};
    edit_(a);
    return a;
  }

  std::unique_ptr<solver> honest_;
  edit edit_;
  progress end_;
};

TEST_CASE("whatever a run leaves wrong at a bad cell is found") {
  const auto is_right = [](scheme method, bool is_adaptive, const forgetful::edit& how) {
    forgetful s(how);
    return checkers::all_good(check::verify_bad_cells(s, 2, method, rl, is_adaptive, precision::double_));
  };
  for (auto [method, is_adaptive] :
       {std::pair{scheme::euler, false}, {scheme::trapezoidal, false}, {scheme::trapezoidal, true}}) {
    CHECK(is_right(method, is_adaptive, [](answer&) {}));
    for (const forgetful::edit& how : std::vector<forgetful::edit>{
             [](answer& a) { a.end.bad_cell %= 64; }, [](answer& a) { a.end.state = ending::stagnated; },
             [](answer& a) { ++a.end.accepted; }, [](answer& a) { ++a.end.rejected; },
             [](answer& a) { a.end.t += .004; }, [](answer& a) { a.state[9][at_v] += 1e-3; },
             [](answer& a) { a.state.back()[at_cai] = 0; }, [](answer& a) { a.recorded.v[7] += 1e-3; },
             [](answer& a) { a.recorded.v.insert(a.recorded.v.end(), a.state.size(), 0); }})
      CHECK_FALSE(is_right(method, is_adaptive, how));
  }
}

TEST_CASE("a wrong sample of adaptive steps is found, wherever it is") {
  const auto is_right = [](const forgetful::edit& how) {
    forgetful s(how);
    return checkers::all_good(check::verify_controller(s, scheme::trapezoidal, precision::double_));
  };
  CHECK(is_right([](answer&) {}));
  for (std::size_t sample : {0U, 1U, 20U})
    CHECK_FALSE(is_right([=](answer& a) {
      const std::size_t cells = a.state.size();
      if (a.recorded.t.size() > sample) a.recorded.v[sample * cells + 3] += 1e-3;
    }));
  CHECK_FALSE(is_right([](answer& a) { a.recorded.v.back() += 1e-3; }));
}

// Steps before the bad one are then in the same launch for 2, 3, 4, 5, 6 and 8 steps a launch.
TEST_CASE("a cell goes bad in the ninth step, far from rounding, and is not in the first patch") {
  constexpr double far = 1;  // mV
  for (int subdivisions : {2, 3, 4})
    for (scheme method : {scheme::euler, scheme::midpoint, scheme::trapezoidal})
      for (gate_rule rule : all_gate_rules) {
        const auto runs = check::bad_runs(subdivisions, method, rule, false);
        REQUIRE(runs.size() == 3);
        CHECK(runs[0].good_steps == 0);
        const check::bad_run& run = runs[2];
        CHECK(run.good_steps == 8);
        CHECK(run.bad_cell == static_cast<int>(run.sphere.cells() / 2));
        const auto voltage_after = [&](long count) {
          return ref::steps(run.sphere, method, rule, run.control.dt, count)
              .y[static_cast<std::size_t>(run.bad_cell)][at_v];
        };
        CHECK(voltage_after(8) < largest_voltage - far);
        CHECK(std::abs(voltage_after(9)) > largest_voltage + far);
      }
}

TEST_CASE("a number that is none fails the judges of whole runs and of orders") {
  const auto run = check::expect_run(scheme::trapezoidal);
  auto s = started(run->problem(), run->control());
  const progress end = s->advance(run->problem().protocol.t_end);
  REQUIRE(checkers::all_good(run->judge(s->state(), s->recorded(), end, precision::double_)));
  const auto order = check::expect_order();
  for (double bad : no_numbers) {
    auto y = s->state();
    y[3][at_v] = bad;
    CHECK_FALSE(checkers::all_good(run->judge(y, s->recorded(), end, precision::single)));
    recording r = s->recorded();
    for (std::size_t k = 0; k < 4; ++k) r.v[5 * s->state().size() / 2 + k] = bad;
    CHECK_FALSE(checkers::all_good(run->judge(s->state(), r, end, precision::single)));
    for (std::size_t n = 0; n < first_concentration; ++n) {
      auto cell = order->problem().state0;
      cell[0][n] = bad;
      const auto e = order->errors_of(cell);
      CHECK_FALSE(std::isfinite(n == at_v ? e.voltage : e.gates));
    }
    auto cell = order->problem().state0;
    cell[0][at_cai] = bad;
    CHECK_FALSE(order->judge(scheme::euler, rl, .04, cell).good());
  }
}

TEST_CASE("a scale keeps a number that is none, and a distance is none with one") {
  const auto y = check::covering_problem(0, rl).state0;
  for (double bad : no_numbers)
    for (std::size_t n = 0; n < variables; ++n) {
      auto spoilt = y;
      spoilt[3][n] = bad;
      CHECK_FALSE(std::isfinite(check::scale_of(spoilt)[n]));
      CHECK_FALSE(std::isfinite(check::distance(spoilt, y, check::scale_of(y))));
      CHECK_FALSE(std::isfinite(check::distance(y, spoilt, check::scale_of(y))));
    }
  auto fewer = y;
  fewer.pop_back();
  CHECK(std::isnan(check::distance(fewer, y, check::scale_of(y))));
}

TEST_CASE("a run that pauses makes the same steps, and a window with a fault is found") {
  const problem p = sphere_problem(1, one_stimulus(6));
  for (const control& c : {recording_every(1, fixed_steps(scheme::euler, rl, .05)),
                           recording_every(1, adaptive_steps(scheme::bogacki_shampine, rl, .1, .01, 6))}) {
    const check::watched_run run = honest_run(p, c);
    auto s = started(p, c);
    s->advance(6);
    CHECK(check::judge_repeated(run, s->state(), s->recorded()).good());
    constexpr std::size_t windows = 5;
    REQUIRE(run.windows.size() == windows + (c.is_adaptive ? 0 : 1));
    CHECK(run.windows.back().after.at.t == 6);
    CHECK(run.windows[3].before.at.t >= .9 * 6);
    CHECK(checkers::all_good(check::judge(run, p, precision::double_)));
    for (std::size_t w = 0; w < windows; ++w) {
      for (std::size_t n = 0; n < variables; ++n)
        for (double bad : {run.windows[w].after.y[7][n] * (1 + 1e-9) + 1e-9, not_a_number, infinity}) {
          check::watched_run wrong = run;
          wrong.windows[w].after.y[7][n] = bad;
          CHECK_FALSE(checkers::all_good(check::judge(wrong, p, precision::double_)));
        }
      check::watched_run wrong = run;
      wrong.windows[w].after.at.t += 1e-9;
      CHECK_FALSE(checkers::all_good(check::judge(wrong, p, precision::double_)));
      wrong = run;
      ++wrong.windows[w].after.at.accepted;
      CHECK_FALSE(checkers::all_good(check::judge(wrong, p, precision::double_)));
      if (!c.is_adaptive) continue;
      for (double wanted : {run.windows[w].after.at.wanted * 1.001, not_a_number}) {
        wrong = run;
        wrong.windows[w].after.at.wanted = wanted;
        CHECK_FALSE(checkers::all_good(check::judge(wrong, p, precision::double_)));
      }
    }
    check::watched_run wrong = run;
    wrong.windows.back().after.y[7][at_v] *= 1 + 1e-6;  // of all steps of the run with fixed ones
    CHECK_FALSE(checkers::all_good(check::judge(wrong, p, precision::double_)));
    wrong = run;
    wrong.recorded.v[wrong.recorded.v.size() - 3] = not_a_number;
    CHECK_FALSE(checkers::all_good(check::judge(wrong, p, precision::double_)));
    CHECK_FALSE(check::judge_repeated(run, s->state(), wrong.recorded).good());
    CHECK_FALSE(checkers::all_good(check::judge({}, p, precision::double_)));
  }
}

// Two attempts at the steepest moment of the first front. The first step differs from what was wanted by a share.
check::run_window front_window(const problem& p, const control& c, double share) {
  const ref::stepping by{c.method, c.gates, c.is_adaptive, c.dt, c.at, c.rt};
  ref::moment at{p.state0, 0, c.dt, 0, 0, 0};
  while (voltage_distance(at.y, p.state0) < 50) at = ref::continued(p, by, at, p.protocol.t_end, 1);
  const auto seen_at = [&](const ref::moment& m) {
    check::between_steps seen{{}, m.y};
    seen.at.control = c;
    seen.at.t = m.t;
    seen.at.t_end = p.protocol.t_end;
    seen.at.wanted = m.wanted;
    seen.at.accepted = m.accepted;
    seen.at.rejected = m.rejected;
    return seen;
  };
  ref::moment moved = at;
  moved.wanted *= 1 + share;
  return {seen_at(at), seen_at(ref::continued(p, by, moved, p.protocol.t_end, 2))};
}

TEST_CASE("rounding may move the end of a step where a front passes, and nothing else may move the state") {
  const problem p = sphere_problem(1, one_stimulus(6));
  const control c = adaptive_steps(scheme::cash_karp, plain, .1, .01, 6);
  const auto is_right = [&](const check::run_window& w) {
    return checkers::all_good(check::judge_attempts(w, p, precision::double_, check::timed_metrics));
  };
  for (double share : {0., 1e-11, -1e-11}) {
    check::run_window w = front_window(p, c, share);
    CHECK(is_right(w));
    w.after.y[7][at_v] *= 1 + 1e-11;
    CHECK_FALSE(is_right(w));
  }
  CHECK_FALSE(is_right(front_window(p, c, 1e-6)));
}

TEST_CASE("a run that does not pause where it was asked to is found") {
  const problem p = sphere_problem(1, one_stimulus(6));
  const control c = recording_every(1, fixed_steps(scheme::euler, rl, .05));
  const auto is_found = [&](const auto& passes) {
    auto s = started(p, c);
    const auto advance = [&](double t_end) {
      progress at = s->advance(t_end);
      while (at.state == ending::paused && passes(at)) at = s->advance(t_end);
      return at;
    };
    const auto run = check::watch(*s, p, c, p.protocol.t_end, "seed", advance);
    return !checkers::all_good(check::judge(run, p, precision::double_));
  };
  CHECK_FALSE(is_found([](const progress&) { return false; }));
  CHECK(is_found([](const progress&) { return true; }));
  CHECK(is_found([](const progress& at) { return at.pause_at == at.accepted; }));  // the ends of windows
}

TEST_CASE("a millionth more or less in any part of the paper's problem is found") {
  constexpr double less = 1 - 1e-6;
  for (int subdivisions : {0, 1, 3}) CHECK(checkers::all_good(check::judge_paper_problem(subdivisions)));
  struct change {
    const char* name;
    void (*make)(problem&);
  };
  for (const auto& [name, make] : std::vector<change>{
           {"diffusion", [](problem& p) { p.diffusion *= less; }},
           {"acetylcholine", [](problem& p) { p.cell.acetylcholine *= less; }},
           {"its potassium", [](problem& p) { p.cell.acetylcholine_carries_potassium = false; }},
           {"radius", [](problem& p) { p.mesh.radius *= less; }},
           {"a position", [](problem& p) { p.mesh.position[77][1] += 1e-6 * p.mesh.radius; }},
           {"a weight", [](problem& p) { p.mesh.weight[77][2] *= less; }},
           {"all weights",
            [](problem& p) {
              for (auto& w : p.mesh.weight)
                for (double& x : w) x *= less;
            }},
           {"a weight lost", [](problem& p) { p.mesh.weight[77][2] = 0; }},
           {"a neighbour", [](problem& p) { p.mesh.neighbours[77][2] = 5; }},
           {"two neighbours", [](problem& p) { std::swap(p.mesh.neighbours[77], p.mesh.neighbours[78]); }},
           {"a stimulated cell", [](problem& p) { p.stimulated[77] ^= 1; }},
           {"the recorded cells", [](problem& p) { std::swap(p.recorded[3], p.recorded[4]); }}}) {
    INFO(name);
    problem p = sphere_problem(3);
    make(p);
    CHECK_FALSE(checkers::all_good(check::judge_problem(p, ref::paper::acetylcholine)));
  }
  for (std::size_t n = 0; n < variables; ++n) {
    problem p = sphere_problem(1);
    p.state0[9][n] = p.state0[9][n] * less + (p.state0[9][n] == 0 ? 1e-6 : 0);
    CHECK_FALSE(checkers::all_good(check::judge_problem(p, ref::paper::acetylcholine)));
  }
}

TEST_CASE("a millionth more or less in the stimuli or the limits of a controller is found") {
  for (std::size_t s : {0U, 1U})
    for (double stimulus::*part :
         {&stimulus::start, &stimulus::length, &stimulus::strength, &stimulus::from_share}) {
      protocol what = usual_protocol();
      what.stimuli[s].*part *= 1 + 1e-6;
      CHECK_FALSE(checkers::all_good(check::judge_protocol(what)));
    }
  protocol turned = usual_protocol();
  turned.stimuli[0].axis = 1;
  CHECK_FALSE(checkers::all_good(check::judge_protocol(turned)));
  const control right = adaptive_steps(scheme::fehlberg, rl, 1e-3, 1e-6, 300);
  CHECK(checkers::all_good(check::judge_control(right, 1e-3, 1e-6, 300)));
  for (double control::*part : {&control::dt, &control::at, &control::rt, &control::least_dt}) {
    control c = right;
    c.*part *= 1 + 1e-6;
    CHECK_FALSE(checkers::all_good(check::judge_control(c, 1e-3, 1e-6, 300)));
  }
  CHECK_FALSE(checkers::all_good(check::judge_control(with_attempts(601'001, right), 1e-3, 1e-6, 300)));
}

TEST_CASE("the checked states are on both sides of every switch of the kinetics") {
  std::vector<double> signals, voltages;
  for (int subdivisions : {0, 1}) {
    const problem p = check::covering_problem(subdivisions, rl);
    for (const cell_state& y : p.state0) {
      signals.push_back(check::release_signal(p.cell, y));
      voltages.push_back(y[at_v]);
    }
  }
  const auto has = [](const std::vector<double>& all, double from, double to) {
    return std::ranges::any_of(all, [&](double x) { return x >= from && x <= to; });
  };
  for (double threshold : {250., 50.})
    for (auto [from, to] : {std::pair{-3.5, -.5}, {-.1, .1}, {.5, 3.5}}) {
      INFO("signal " << threshold << " from " << from);
      CHECK(has(signals, threshold + from, threshold + to));
    }
  CHECK(has(signals, 100, 200));
  CHECK(has(signals, 1e4, 1e7));
  CHECK(has(voltages, -40.001, -40 - 1e-4));
  CHECK(has(voltages, -40 + 1e-4, -39.999));
  for (double singular : {-47.13, -14.1, 3.3328, 19.9}) {
    INFO("singular at " << singular);
    CHECK(has(voltages, singular, singular));
    CHECK(has(voltages, singular - 1.001e-3, singular - 1e-4));
    CHECK(has(voltages, singular + 1e-4, singular + 1.001e-3));
  }
}
