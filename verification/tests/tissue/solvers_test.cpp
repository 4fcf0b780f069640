// SPDX-License-Identifier: MIT
// Tests the tissue solvers' cells at the borders, their orders in time, their refusals, and the rows
// computed from their measurements.
#include <fmt/core.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <limits>
#include <map>

#include "benchmarks/harness/experiment.hpp"
#include "benchmarks/tissue/cases.hpp"
#include "benchmarks/tissue/rows.hpp"
#include "solvers/common/base/error.hpp"
#include "solvers/tissue/cells.hpp"
#include "solvers/tissue/variant.hpp"
#include "verification/checkers/order_fit.hpp"
#include "verification/tissue/check.hpp"

using namespace reprise;
using namespace reprise::tissue;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;
namespace ref = reference::tissue;
namespace cases = harness::tissue_cases;

namespace {

// Calls test(solver) for each of these variants, on the first device that can run it here.
template <class Test>
void for_variants(std::initializer_list<const char*> ids, Test test) {
  for (const char* id : ids)
    for (const harness::target& on : harness::targets_of(id, "*", false)) {
      if (on.variant == nullptr) continue;
      INFO(id << " on " << on.device.id);
      test(*dynamic_cast<const variant_of<solver>&>(*on.variant).make(on.device));
      break;
    }
}

// The order of the error of u at t_end in successively halved steps.
checkers::fitted_order order_of(solver& s, const problem& p, method how, double t_end, double longest,
                                int count, const ref::state& best) {
  std::vector<double> steps;
  std::vector<double> errors;
  for (int i = 0; i < count; ++i) {
    const double dt = longest / (1 << i);
    s.load(p, how, dt);
    s.step(std::lround(t_end / dt));
    steps.push_back(dt);
    errors.push_back(ref::relative_error(s.state(), best));
  }
  return checkers::fit_order(steps, errors, 1e-13);
}

reports::row row_of(const std::string& parameter, const std::string& metric, double value,
                    const std::string& size = "256x256") {
  reports::row r;
  r.variant = "tissue/openmp";
  r.device = "cpu";
  r.precision = "double";
  r.size = size;
  r.parameter = parameter;
  r.metric = metric;
  r.value = value;
  r.status = "ok";
  return r;
}

double value_of(const std::vector<reports::row>& rows, const std::string& metric,
                const std::string& parameter) {
  for (const reports::row& r : rows)
    if (r.metric == metric && r.parameter == parameter) return r.value;
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

TEST_CASE("what lies beyond a border is the tissue's mirror image or its continuation, however far") {
  const auto around = [](edge border, int n) {
    std::vector<int> all;
    for (int i = -5; i < n + 5; ++i) all.push_back(folded(border, i, n));
    return all;
  };
  CHECK(around(edge::no_flux, 3) == std::vector{1, 2, 2, 1, 0, 0, 1, 2, 2, 1, 0, 0, 1});
  CHECK(around(edge::mirrored, 3) == std::vector{1, 0, 1, 2, 1, 0, 1, 2, 1, 0, 1, 2, 1});
  CHECK(around(edge::periodic, 3) == std::vector{1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1});
}

TEST_CASE(
    "the weighted sum of a constant is zero to the last bit, and that of a parabola six times its bend") {
  CHECK(weighted_sum([](int, int) { return .1; }) == 0);
  CHECK(weighted_sum([](int dx, int) { return dx * dx; }) == 12);
  CHECK(weighted_sum([](int dx, int dy) { return 3 + dx - 2 * dy + dx * dy; }) == 0);
}

TEST_CASE("every method has the order of Table 1, in every model that has it", "[standard]") {
  const std::map<method, double> expected{{method::euler, 1},
                                          {method::implicit_euler, 1},
                                          {method::rush_larsen, 1},
                                          {method::heun, 2},
                                          {method::runge_kutta, 4}};
  for (model what : all_models) {
    const problem p = hill_problem(what, 24, 20, usual_spacing(what));
    const double t_end = what == model::fitzhugh_nagumo ? 2 : what == model::karma ? 4 : .5;
    const ref::state best = ref::integrate(p, t_end, 1e-13);
    for_variants({"tissue/openmp", "tissue/opencl_stages", "tissue/opencl_fused", "tissue/cuda_fused"},
                 [&](solver& s) {
                   for (const auto& [how, order] : expected) {
                     if (!has_method(what, how)) continue;
                     const bool meets_kinks = how == method::runge_kutta && what != model::fitzhugh_nagumo;
                     const auto fit = order_of(s, p, how, t_end, what == model::karma ? .04 : .025,
                                               meets_kinks ? 5 : 4, best);
                     INFO(to_string(what) << ' ' << to_string(how));
                     CHECK_THAT(fit.order, WithinAbs(meets_kinks ? 3 : order, meets_kinks ? .4 : .1));
                   }
                 });
  }
}

TEST_CASE("with a smoother switch, or where no cell meets it, Runge-Kutta is of order four") {
  problem smooth = hill_problem(model::karma, 24, 20, usual_spacing(model::karma));
  smooth.form = switch_form::quintic;
  const problem lifted = lifted_problem(model::karma, 24, 20, usual_spacing(model::karma));
  for (const problem& p : {smooth, lifted}) {
    const ref::state best = ref::integrate(p, 1, 1e-14);
    for_variants({"tissue/openmp"}, [&](solver& s) {
      CHECK_THAT(order_of(s, p, method::runge_kutta, 1, .05, 4, best).order, WithinAbs(4, .3));
    });
  }
}

TEST_CASE("bad tissues are refused in one line that says what to do") {
  const auto refusal = [](auto call) -> std::string {
    try {
      call();
    } catch (const bad_input& e) {
      return e.what();
    }
    return "accepted";
  };
  const problem karma = hill_problem(model::karma, 5, 5, .0262);
  problem steep = karma;
  steep.steepness = std::numeric_limits<double>::infinity();
  const double not_a_number = std::numeric_limits<double>::quiet_NaN();
  for (const std::string& said :
       {refusal([] { hill_problem(model::karma, 2, 9, .0262); }),
        refusal([] { hill_problem(model::karma, 9, 9, std::numeric_limits<double>::quiet_NaN()); }),
        refusal([] { hill_problem(model::karma, 1 << 20, 1 << 20, .0262); }),
        refusal([&] { require_method(karma, method::heun, 0); }),
        refusal([&] { require_method(karma, method::heun, not_a_number); }),
        refusal([&] { require_method(steep, method::heun, .01); }),
        refusal([&] { require_method(karma, method::rush_larsen, .01); })}) {
    CHECK_THAT(said, ContainsSubstring(": give "));
    CHECK(said.find('\n') == std::string::npos);
  }
}

TEST_CASE("a step beyond the limit of stability fails and says when it ran away") {
  const cases::task wild{.model = model::karma, .method = method::euler, .dt = .4};
  const auto plan = cases::plan_steps("openmp", wild, {24, 20}, cases::name_of(wild));
  const harness::target on = harness::targets_of("tissue/openmp", "cpu", false).front();
  const auto subject = plan.make(*on.variant, on.device);
  try {
    subject->load();
    FAIL("accepted");
  } catch (const error& e) {
    CHECK_THAT(e.what(),
               ContainsSubstring("unstable at t = ") && ContainsSubstring("diffusion alone allows"));
  }
}

TEST_CASE("an OpenCL device without double precision is a reason, not a failure") {
  for (const char* id : {"tissue/opencl_stages", "tissue/opencl_fused"})
    for (const harness::target& on : harness::targets_of(id, "*", false)) {
      if (on.variant == nullptr) continue;
      device single = on.device;
      single.fp64 = false;
      const auto s = dynamic_cast<const variant_of<solver>&>(*on.variant).make(single);
      CHECK_THROWS_AS(s->load(hill_problem(model::karma, 5, 5, .0262), method::euler, .01), unavailable);
    }
}

TEST_CASE("slopes, the crossover and times at an error come out of rows made up to have them") {
  std::vector<reports::row> steps;
  for (double dt : {1e-4, 1e-3, 1e-2})
    steps.push_back(row_of(fmt::format("model=karma;method=heun;dt={:g}", dt), cases::steps_metric, .02));
  steps.push_back(row_of("model=karma;method=euler;dt=0.01", cases::steps_metric, .01));
  const auto fig4 = harness::tissue_rows::fig4_rows(steps);
  CHECK_THAT(value_of(fig4, "slope_dt", "model=karma;method=heun"), WithinRel(-1, 1e-12));
  CHECK_THAT(value_of(fig4, "heun_over_euler", "model=karma"), WithinRel(2, 1e-12));
  CHECK_THAT(value_of(fig4, "time_ratio", "model=karma;method=heun;dt=0.01"), WithinRel(2, 1e-12));

  std::vector<reports::row> grids;
  for (int n : {16, 64, 256, 1024, 4096})
    grids.push_back(row_of("model=karma;method=heun", cases::steps_metric, std::max(1.0, n * n / 1e4),
                           fmt::format("{0}x{0}", n)));
  const auto fig5 = harness::tissue_rows::fig5_rows(grids);
  CHECK_THAT(value_of(fig5, "crossover_n", "model=karma;method=heun"), WithinRel(100, 1e-12));
  CHECK_THAT(value_of(fig5, "slope_n", "model=karma;method=heun"), WithinRel(2, 1e-12));

  std::vector<reports::row> errors{row_of("model=karma;method=heun", cases::steps_metric, .02)};
  for (double dt : {.02, .01, .005})
    errors.push_back(row_of(fmt::format("model=karma;method=heun;dt={:g}", dt), "error_u", dt * dt, "24x24"));
  const auto fig7 = harness::tissue_rows::fig7_rows(errors);
  // For an error of 1e-4 the run takes steps of 0.01 ms to 4 ms, at 20 us per step. An
  // error of 1e-7 was not measured.
  CHECK_THAT(value_of(fig7, "time_at_1e-4", "model=karma;method=heun"), WithinRel(4 / .01 * 20e-6, 1e-9));
  CHECK(std::isnan(value_of(fig7, "time_at_1e-7", "model=karma;method=heun")));
  const auto refused =
      std::find_if(fig7.begin(), fig7.end(), [](const auto& r) { return r.metric == "time_at_1e-7"; });
  REQUIRE(refused != fig7.end());
  CHECK(refused->status == "skipped");
  CHECK_THAT(refused->reason, ContainsSubstring("lies outside the measured ones"));
}
