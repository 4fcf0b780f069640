// SPDX-License-Identifier: MIT
// Tests the tissue solvers' cells at the borders, their orders in time, their refusals, and the rows
// computed from their measurements.
#include <fmt/core.h>

#include "benchmarks/tissue/cases.hpp"
#include "benchmarks/tissue/rows.hpp"
#include "solvers/tissue/cells.hpp"
#include "verification/tests/support/every_variant.hpp"
#include "verification/tests/support/measured_rows.hpp"
#include "verification/tests/support/orders.hpp"
#include "verification/tissue/check.hpp"
#include "verification/tissue/departure.hpp"

using namespace reprise;
using namespace reprise::tissue;
namespace ref = reference::tissue;
namespace cases = harness::tissue_cases;
using testing::row_of;

namespace {

// Calls test(solver) for each of these variants, on the first device that can run it here.
template <class Test>
void for_variants(std::initializer_list<const char*> ids, Test test) {
  for (const char* id : ids)
    for (const harness::target& on : harness::targets_of(id, "*", false)) {
      if (on.variant == nullptr) continue;
      INFO(id << " on " << on.device.id);
      test(*verification::made<solver>(on));
      break;
    }
}

// The order of the error of u at t_end in successively halved steps.
checkers::fitted_order order_of(solver& s, const problem& p, method scheme, double t_end, double longest,
                                int count, const ref::state& best) {
  return testing::order_of(testing::halvings(count), 1e-13, [&](int n) {
    const double dt = longest / (1 << n);
    s.load(p, scheme, dt, precision::double_);
    s.step(std::lround(t_end / dt));
    return std::pair{dt, ref::relative_error(s.state(), best)};
  });
}

reports::row measured(const std::string& parameter, double value, const std::string& size = "256x256",
                      const std::string& metric = cases::steps_metric) {
  reports::row r = testing::measured_row("tissue/openmp", size, parameter, metric, value);
  r.precision = "double";
  return r;
}

}  // namespace

TEST_CASE(
    "tiles of tissue/openmp that end within a vector leave their neighbours' cells beyond a border alone") {
  for (const edge border : {edge::no_flux, edge::periodic})
    for (const int nx : {257, 300}) {
      INFO(to_string(border) << ", " << nx << " cells");
      problem p = hill_problem(model::karma, nx, 16, usual_spacing(model::karma));
      p.border = border;
      for (auto& field : p.state0) std::rotate(field.begin(), field.begin() + 12, field.end());
      std::vector<ref::state> found;
      for_variants({"tissue/cpu_serial", "tissue/openmp"}, [&](solver& s) {
        s.load(p, method::heun, .01, precision::double_);
        s.step(5);
        found.push_back(s.state());
      });
      REQUIRE(found.size() == 2);
      CHECK(ref::relative_error(found[1], found[0]) < 1e-13);
    }
}

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

TEST_CASE("the weighted sum of a constant is exactly zero, that of a parabola six times its bend") {
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
  for (model m : all_models) {
    const problem p = hill_problem(m, 24, 20, usual_spacing(m));
    const double t_end = m == model::fitzhugh_nagumo ? 2 : m == model::karma ? 4 : .5;
    const ref::state best = ref::integrate(p, t_end, 1e-13);
    for_variants({"tissue/openmp", "tissue/opencl_stages", "tissue/opencl_fused", "tissue/cuda_fused"},
                 [&](solver& s) {
                   for (const auto& [scheme, order] : expected) {
                     if (!has_method(m, scheme)) continue;
                     const bool meets_kinks = scheme == method::runge_kutta && m != model::fitzhugh_nagumo;
                     const auto fit = order_of(s, p, scheme, t_end, m == model::karma ? .04 : .025,
                                               meets_kinks ? 5 : 4, best);
                     INFO(to_string(m) << ' ' << to_string(scheme));
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
  const auto refusal = [](auto call) { return complaint_of<bad_input>(call); };
  const problem karma = hill_problem(model::karma, 5, 5, .0262);
  problem steep = karma;
  steep.steepness = infinity;
  for (const std::string& said : {refusal([] { hill_problem(model::karma, 2, 9, .0262); }),
                                  refusal([] { hill_problem(model::karma, 9, 9, not_a_number); }),
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
  CHECK_THAT(complaint_of<error>([&] { subject->load(); }),
             ContainsSubstring("unstable at t = ") && ContainsSubstring("diffusion alone allows"));
}

TEST_CASE("an OpenCL device without double precision is a reason, not a failure") {
  for (const char* id : {"tissue/opencl_stages", "tissue/opencl_fused"})
    for (const harness::target& on : harness::targets_of(id, "*", false)) {
      if (on.variant == nullptr) continue;
      harness::target single = on;
      single.device.fp64 = false;
      const auto s = verification::made<solver>(single);
      CHECK_THROWS_AS(
          s->load(hill_problem(model::karma, 5, 5, .0262), method::euler, .01, precision::double_),
          unavailable);
    }
}

TEST_CASE("slopes, the crossover and times at an error come out of rows made up to have them") {
  std::vector<reports::row> steps{measured("model=karma;method=euler;dt=0.01", .01)};
  for (double dt : {1e-4, 1e-3, 1e-2})
    steps.push_back(measured(fmt::format("model=karma;method=heun;dt={:g}", dt), .02));
  const auto fig4 = harness::tissue_rows::fig4_rows(steps);
  CHECK_THAT(row_of(fig4, "slope_dt", "model=karma;method=heun").value, WithinRel(-1, 1e-12));
  CHECK_THAT(row_of(fig4, "heun_over_euler", "model=karma").value, WithinRel(2, 1e-12));
  CHECK_THAT(row_of(fig4, "time_ratio", "model=karma;method=heun;dt=0.01").value, WithinRel(2, 1e-12));

  const std::string heun = "model=karma;method=heun";
  std::vector<reports::row> grids;
  for (int n : {16, 64, 256, 1024, 4096})
    grids.push_back(measured(heun, std::max(1.0, n * n / 1e4), fmt::format("{0}x{0}", n)));
  const auto fig5 = harness::tissue_rows::fig5_rows(grids);
  CHECK_THAT(row_of(fig5, "crossover_n", heun).value, WithinRel(100, 1e-12));
  CHECK_THAT(row_of(fig5, "slope_n", heun).value, WithinRel(2, 1e-12));

  std::vector<reports::row> errors{measured(heun, .02)};
  for (double dt : {.02, .01, .005})
    errors.push_back(measured(fmt::format("{};dt={:g}", heun, dt), dt * dt, "24x24", "error_u"));
  const auto fig7 = harness::tissue_rows::fig7_rows(errors);
  // For an error of 1e-4 the run takes steps of 0.01 ms to 4 ms, at 20 us per step. An
  // error of 1e-7 was not measured.
  CHECK_THAT(row_of(fig7, "time_at_1e-4", heun).value, WithinRel(4 / .01 * 20e-6, 1e-9));
  const reports::row& refused = row_of(fig7, "time_at_1e-7", heun);
  CHECK(std::isnan(refused.value));
  CHECK(refused.status == "skipped");
  CHECK_THAT(refused.reason, ContainsSubstring("lies outside the measured ones"));
}

TEST_CASE("what single precision costs comes out of rows made up to show it") {
  const std::string line = "model=karma;method=runge_kutta";
  std::vector<reports::row> rows;
  const auto add = [&](const std::string& arithmetic, double dt, double error) {
    rows.push_back(measured(fmt::format("{};dt={:g}", line, dt), error, "24x24", "error_u"));
    rows.back().precision = arithmetic;
  };
  for (const double dt : {.04, .02, .01}) add("double", dt, std::pow(dt, 3));
  for (const double dt : {.04, .02, .01}) add("single", dt, std::max(std::pow(dt, 3), 1e-5));
  const auto found = harness::tissue_rows::precision_rows(rows);
  const auto value = [&](const std::string& metric, const std::string& parameter) {
    return testing::only_row(found,
                             [&](const reports::row& r) {
                               return r.metric == metric && r.parameter == parameter &&
                                      r.precision == "single";
                             })
        .value;
  };
  CHECK_THAT(value("least_error", line), WithinRel(1e-5, 1e-12));
  CHECK_THAT(value("local_order", line + ";dt=0.01"), WithinAbs(0, 1e-12));
  CHECK_THAT(value("error_over_double", line + ";dt=0.04"), WithinRel(1, 1e-12));
  CHECK_THAT(value("error_over_double", line + ";dt=0.01"), WithinRel(10, 1e-12));
}

TEST_CASE("a front that has moved by a hundredth of a spacing is found to have done so") {
  problem p = hill_problem(model::karma, 40, 12, .0262);
  const auto front = [&](double shift) {
    ref::state z = p.state0;
    for (std::size_t cell = 0; cell < p.cells(); ++cell)
      z[0][cell] = 1 / (1 + std::exp(static_cast<double>(cell % 40) - 20 - shift));
    return z;
  };
  const ref::state exact = front(0);
  CHECK_THAT(verification::tissue::departure_of(p, front(.01), exact).of_front, WithinRel(.01, .15));
  CHECK(verification::tissue::departure_of(p, exact, exact).of_front == 0);
  ref::state bad = exact;
  bad[0][77] = not_a_number;
  const auto spoiled = verification::tissue::departure_of(p, bad, exact);
  CHECK(std::isnan(spoiled.of_u));
  CHECK(std::isnan(spoiled.largest));
}
