// SPDX-License-Identifier: MIT
// Tests what judges the tissue's answers: numbers that are none, problems that differ from the paper's, faults that
// begin late in a timed run, and the search for the largest stable step.
#include "benchmarks/tissue/cases.hpp"
#include "benchmarks/tissue/rows.hpp"
#include "benchmarks/tissue/timed_run.hpp"
#include "verification/checkers/order_fit.hpp"
#include "verification/tests/support/every_variant.hpp"
#include "verification/tests/support/measured_rows.hpp"
#include "verification/tissue/branches.hpp"
#include "verification/tissue/problem_check.hpp"
#include "verification/tissue/stability.hpp"

using namespace reprise;
using namespace reprise::tissue;
using harness::grid_size;
namespace cases = harness::tissue_cases;
namespace check = verification::tissue;
namespace ref = reference::tissue;

namespace {

const std::array no_numbers{not_a_number, infinity, -infinity};

// Calls test(state) with each bad number in the first, a middle and the last cell of each field.
template <class Test>
void with_bad_cells(const ref::state& good, Test test) {
  for (const double bad : no_numbers)
    for (std::size_t f = 0; f < good.size(); ++f)
      for (const std::size_t cell : {std::size_t{0}, good[f].size() / 2, good[f].size() - 1}) {
        ref::state z = good;
        z[f][cell] = bad;
        INFO(bad << " in field " << f << ", cell " << cell);
        test(z);
      }
}

// A correct solver whose steps can be replaced.
class late final : public solver {
 public:
  using steps = std::function<void(solver&, long count, long run)>;
  late(std::unique_ptr<solver> honest, steps wrong) : honest_(std::move(honest)), wrong_(std::move(wrong)) {}
  void load(const problem& p, method m, double dt, precision arithmetic) override {
    honest_->load(p, m, dt, arithmetic);
  }
  void reset() override {
    honest_->reset();
    ++run_;
  }
  void step(long count) override { wrong_(*honest_, count, run_); }
  ref::state state() override { return honest_->state(); }
  stopwatch& clock() override { return honest_->clock(); }
  work per_unit() const override { return honest_->per_unit(); }

 private:
  std::unique_ptr<solver> honest_;
  steps wrong_;
  long run_{};
};

bool passes_as_timed(const late::steps& steps, grid_size size, method how) {
  const harness::target on = harness::targets_of("tissue/cpu_serial", "cpu", false).front();
  late s(verification::made<solver>(on), steps);
  const problem p = hill_problem(model::karma, size.width, size.height, usual_spacing(model::karma));
  constexpr double dt = .01;
  constexpr int repeats = 60;
  s.load(p, how, dt, precision::double_);
  CHECK(checkers::all_good(
      check::verify(s, *check::expect_steps(p, how, dt, check::fewest_steps(how)), precision::double_)));
  for (int sample = 0; sample < 3; ++sample) {
    s.reset();
    s.step(repeats);
  }
  return checkers::all_good(cases::judge_calls({s, p, how, dt, precision::double_}, repeats));
}

}  // namespace

TEST_CASE("no judge of a tissue accepts a number that is none") {
  const problem p = hill_problem(model::bueno_orovio, 5, 4, usual_spacing(model::bueno_orovio));
  const check::expectation expected(p, method::heun, .01, 2);
  const ref::state good = ref::steps(p, method::heun, .01, 2);
  CHECK(checkers::all_good(expected.judge(good, precision::double_)));
  with_bad_cells(good, [&](const ref::state& bad) {
    CHECK_FALSE(expected.judge(bad, precision::double_).front().good());
    CHECK_FALSE(check::judge_distance("error", bad, good, 4, precision::double_).good());
    CHECK_FALSE(check::judge_distance("error", good, bad, 4, precision::double_).good());
    CHECK_FALSE(check::judge_distance("error", bad, bad, 4, precision::double_).good());
    CHECK_FALSE(check::judge_calls("error", bad, good, 1, precision::double_).good());
    CHECK_FALSE(check::judge_calls("error", good, bad, 1, precision::double_).good());
    CHECK_FALSE(check::judge_steps("error", p, method::heun, .01, bad, 2, good, precision::double_).good());
    CHECK_FALSE(
        check::judge_steps("error", p, method::heun, .01, p.state0, 2, bad, precision::double_).good());
    CHECK_FALSE(check::failure_of(p, bad, 0).empty());
    CHECK_FALSE(ref::relative_error_of_all(bad, good) < 1);
    CHECK_FALSE(ref::relative_error_of_all(good, bad) < 1);
    problem spoiled = p;
    spoiled.state0 = bad;
    CHECK_FALSE(check::judge_problem(spoiled, {.model = p.model, .nx = 5, .ny = 4}).good());
    // Only the first field, u, diffuses.
    if (std::ranges::all_of(bad[0], [](double u) { return std::isfinite(u); })) return;
    CHECK_FALSE(check::has_decayed(p, good, bad));
    CHECK_FALSE(check::has_decayed(p, bad, good));
  });
  for (const double bad : no_numbers) {
    CHECK_FALSE(ref::relative_error({{bad, 1}}, {{1, 1}}) < 1);
    CHECK_FALSE(ref::relative_error({{1, 1}}, {{bad, 1}}) < 1);
    const std::vector<double> steps{.1, .05, .025, .0125, .00625};
    const std::vector<double> errors{1, .5, .25, .125, .0625};
    for (std::size_t n = 0; n < steps.size(); ++n) {
      auto spoiled = errors;
      spoiled[n] = bad;
      CHECK(std::isnan(checkers::fit_asymptotic_order(steps, spoiled, 0).order));
      CHECK(std::isnan(checkers::fit_asymptotic_order(spoiled, errors, 0).order));
    }
    CHECK(std::isnan(checkers::fit_asymptotic_order(steps, errors, bad).order));
  }
}

TEST_CASE("a problem that differs from the paper's by a millionth in any number is not the paper's") {
  for (const model m : all_models)
    for (const auto from : {check::beginning::hill, check::beginning::lifted, check::beginning::spiral}) {
      const double dx = usual_spacing(m);
      const problem p = from == check::beginning::hill     ? hill_problem(m, 24, 24, dx)
                        : from == check::beginning::lifted ? lifted_problem(m, 24, 24, dx)
                                                           : spiral_problem(m, 24, dx);
      const check::description papers = check::described({.from = from, .model = m, .nx = 24, .ny = 24});
      const check::description given = check::described(p, from);
      CHECK(check::judge(given, papers).good());
      for (const auto& [name, value] : given.numbers) {
        INFO(to_string(m) << ": " << name);
        for (const double wrong : {value * (1 + 1e-6) + (value == 0 ? 1e-6 : 0), not_a_number, infinity}) {
          check::description other = given;
          other.numbers[name] = wrong;
          CHECK_FALSE(check::judge(other, papers).good());
        }
        check::description other = given;
        other.numbers.erase(name);
        CHECK_FALSE(check::judge(other, papers).good());
      }
      for (const auto& [name, values] : given.fields)
        for (const std::size_t cell : {std::size_t{0}, values.size() / 2, values.size() - 1}) {
          check::description other = given;
          other.fields[name][cell] += 1e-6;
          CHECK_FALSE(check::judge(other, papers).good());
        }
    }
}

TEST_CASE("the states that reach every branch lie on both sides of each switch and near its ends") {
  for (const double k : {28.4, 11.}) {
    problem p = check::branch_problem(model::bueno_orovio, 37, 33);
    p.steepness = k;
    const std::vector<double> u = check::branch_values(p);
    for (const double threshold : {.006, .13, .3})
      for (const double end : {-.5, 0., .5})
        for (const auto& [from, to] : {std::pair{-1.1e-3, -1e-6}, {1e-6, 1.1e-3}})
          CHECK(std::ranges::any_of(u, [&](double value) {
            const double off = value - threshold - end / k;
            return off > from && off < to;
          }));
    for (const double threshold : {.006, .13, .3}) CHECK(std::ranges::count(u, threshold) > 0);
  }
  CHECK_THROWS_AS(check::branch_problem(model::bueno_orovio, 9, 9), bad_input);
}

TEST_CASE("faults that begin late in a timed run are found in the timed work") {
  const auto honest = [](solver& s, long count, long) { s.step(count); };
  for (const method how : {method::euler, method::runge_kutta}) {
    for (const grid_size size : {grid_size{24, 20}, grid_size{150, 140}}) {
      CHECK(passes_as_timed(honest, size, how));
      CHECK_FALSE(passes_as_timed([](solver& s, long count, long) { s.step(count > 9 ? count - 1 : count); },
                                  size, how));
      CHECK_FALSE(passes_as_timed(
          [](solver& s, long count, long) { s.step(count == 60 ? count + 1 : count); }, size, how));
      CHECK_FALSE(passes_as_timed(
          [](solver& s, long count, long run) { s.step(run > 3 && count > 1 ? count - 1 : count); }, size,
          how));
    }
  }
}

TEST_CASE("a timed run that does not repeat the first one, which was judged, is found") {
  const harness::target on = harness::targets_of("tissue/cpu_serial", "cpu", false).front();
  const problem p = hill_problem(model::karma, 24, 20, usual_spacing(model::karma));
  const auto is_repeated = [&](const late::steps& steps) {
    late s(verification::made<solver>(on), steps);
    s.load(p, method::heun, .01, precision::double_);
    s.reset();
    cases::recorded_run run;
    run.make({s, p, method::heun, .01, precision::double_}, 60);
    s.reset();
    run.make_again(s);
    CHECK(checkers::all_good(run.judge()));
    return run.judge_again().good();
  };
  CHECK(is_repeated([](solver& s, long count, long) { s.step(count); }));
  CHECK_FALSE(
      is_repeated([](solver& s, long count, long run) { s.step(run > 1 && count > 1 ? count - 1 : count); }));
}

TEST_CASE("a change of a billionth in a long call is found, however much later it ends") {
  const problem p = hill_problem(model::karma, 24, 24, usual_spacing(model::karma));
  const auto end_of = [&](const problem& from) { return ref::steps(from, method::heun, .01, 1000); };
  const ref::state honest = end_of(p);
  problem changed = p;
  changed.state0[0][5] += 1e-9;
  const ref::state late = end_of(changed);
  CHECK(check::distance(late, honest) < 1e-11);
  const double growth =
      check::distance(end_of(check::shifted(p, check::shift_in(precision::double_))), honest) /
      check::shift_in(precision::double_);
  CHECK(growth > 0);
  CHECK(growth < 10);
  CHECK(check::judge_calls("error", honest, honest, growth, precision::double_).good());
  CHECK_FALSE(check::judge_calls("error", late, honest, std::max(1., growth), precision::double_).good());
  CHECK_FALSE(check::judge_calls("error", honest, honest, not_a_number, precision::double_).good());
}

TEST_CASE("the largest stable step of linear diffusion is the one that its eigenvalues give") {
  // At rest Karma's u obeys u_t = D Lap u - u / 2.5. The highest mode on n cells has the angle pi (n - 1) / n.
  constexpr int n = 24;
  const problem p = [] {
    problem rest = hill_problem(model::karma, n, n, usual_spacing(model::karma));
    for (auto& field : rest.state0) field.assign(rest.cells(), 0);
    return rest;
  }();
  const double cosine = std::cos(std::acos(-1) * (n - 1) / n);
  const double highest = .0011 * (20 - 16 * cosine - 4 * cosine * cosine) / (6 * .0262 * .0262);
  const double limit = 2 / (highest + 1 / 2.5);
  const auto decays = [&](double dt) {
    const auto after = [&](const problem& from) {
      return ref::steps(from, method::euler, dt, check::stability_steps);
    };
    return check::has_decayed(p, after(p), after(check::disturbed(p)));
  };
  CHECK(decays(.995 * limit));
  CHECK_FALSE(decays(1.005 * limit));
  CHECK_FALSE(decays(1.1 * limit));
  const auto are_judged_good = [&](double stable, double unstable) {
    return checkers::all_good(check::judge_limit(p, method::euler, stable, unstable));
  };
  CHECK(are_judged_good(.995 * limit, 1.005 * limit));
  CHECK_FALSE(are_judged_good(1.005 * limit, 1.015 * limit));
  CHECK_FALSE(are_judged_good(.985 * limit, .995 * limit));
}

TEST_CASE("a floor is reported only where a shorter step reaches it above the reference's uncertainty") {
  const auto floors = [](std::vector<std::pair<double, double>> errors, double uncertainty) {
    const std::string line = "model=fitzhugh_nagumo;method=runge_kutta";
    std::vector<reports::row> rows;
    for (const auto& [dt, error] : errors) {
      const std::string parameter = line + ";dt=" + std::to_string(dt);
      rows.push_back(testing::measured_row("tissue/openmp", "24x24", parameter, "error_u", error));
      rows.push_back(
          testing::measured_row("tissue/openmp", "24x24", parameter, "reference_uncertainty", uncertainty));
    }
    return harness::tissue_rows::fig6_rows(rows);
  };
  CHECK(floors({{.02, 1e-12}, {.01, 4e-15}, {.005, 5e-15}}, 1e-15).front().value == 5e-15);
  CHECK(floors({{.02, 1e-12}, {.01, 6e-14}, {.005, 4e-15}}, 1e-15).empty());
  CHECK(floors({{.02, 1e-12}, {.01, 4e-15}, {.005, 5e-15}}, 8e-14).empty());
  CHECK(floors({{.02, 1e-12}, {.01, 4e-15}, {.005, 5e-15}}, not_a_number).empty());
  CHECK(floors({{.02, 1e-8}, {.01, 4e-9}, {.005, 5e-9}}, 1e-15).empty());
}
