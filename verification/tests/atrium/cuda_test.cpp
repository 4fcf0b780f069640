// SPDX-License-Identifier: MIT
// Tests the atrium's CUDA variants, on a device if there is one and in emulation: they take the same steps as
// cpu_serial, stop at a non-finite cell and name it, and stop runs that stagnate.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <limits>
#include <memory>

#include "benchmarks/harness/experiment.hpp"
#include "solvers/atrium/variant.hpp"
#include "solvers/common/base/error.hpp"
#include "verification/atrium/check.hpp"

using namespace reprise;
using namespace reprise::atrium;
namespace check = verification::atrium;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::WithinAbs;

namespace {

constexpr auto rl = gate_rule::rush_larsen;
constexpr auto plain = gate_rule::plain;
const std::vector<const char*> deciding{"atrium/cuda_stages", "atrium/cuda_device_control",
                                        "atrium/cuda_multi"};
const std::vector<const char*> all{"atrium/cuda_stages", "atrium/cuda_device_control", "atrium/cuda_tuned",
                                   "atrium/cuda_multi"};

std::vector<std::unique_ptr<solver>> made(const char* id) {
  std::vector<std::unique_ptr<solver>> solvers;
  for (const harness::target& on : harness::targets_of(id, "*", true))
    if (on.variant != nullptr)
      solvers.push_back(dynamic_cast<const variant_of<solver>&>(*on.variant).make(on.device));
  REQUIRE(!solvers.empty());
  return solvers;
}

// Runs from t = 0 to the end with one variant, on each of its devices.
struct answer {
  progress end;
  std::vector<cell_state> state;
  recording recorded;
};
std::vector<answer> answers(const char* id, const problem& p, const control& c, precision arithmetic,
                            const std::vector<double>& stops) {
  std::vector<answer> found;
  for (const auto& s : made(id)) {
    s->load(p, arithmetic);
    s->reset(c);
    progress end;
    for (double stop : stops) end = s->advance(stop);
    found.push_back({end, s->state(), s->recorded()});
  }
  return found;
}

double voltage_distance(const answer& a, const answer& b) {
  double most = 0;
  for (std::size_t k = 0; k < b.state.size(); ++k)
    most = std::max(most, std::abs(a.state.at(k)[at_v] - b.state[k][at_v]));
  for (std::size_t n = 0; n < b.recorded.v.size(); ++n)
    most = std::max(most, std::abs(a.recorded.v.at(n) - b.recorded.v[n]));
  return most;
}

// A stimulus of one half of the sphere, which starts an action potential.
protocol one_stimulus(double t_end) {
  return {{{.start = 1, .length = 2, .strength = 40, .axis = 2, .from_share = 0}}, t_end};
}

control recording_every(control c, int steps) {
  c.record_every = steps;
  return c;
}

}  // namespace

TEST_CASE("atrium's device takes the steps that a processor takes, and records them", "[emulation]") {
  const problem p = sphere_problem(1, one_stimulus(3));
  for (auto [pair, gates] : {std::pair{scheme::bogacki_shampine, rl},
                             {scheme::trapezoidal, rl},
                             {scheme::fehlberg, rl},
                             {scheme::bogacki_shampine, plain}}) {
    const control c = recording_every(adaptive_steps(pair, gates, .1, .01, 3), 2);
    const answer expected = answers("atrium/cpu_serial", p, c, precision::double_, {1.7, 3}).front();
    REQUIRE(expected.end.rejected > 0);
    for (const char* id : deciding)
      for (const answer& found : answers(id, p, c, precision::double_, {1.7, 3})) {
        INFO(id << ' ' << to_string(pair) << ' ' << to_string(gates));
        CHECK(found.end.state == ending::reached);
        CHECK(found.end.t == 3);
        CHECK(found.end.accepted == expected.end.accepted);
        CHECK(found.end.rejected == expected.end.rejected);
        CHECK(found.end.evaluations == expected.end.evaluations);
        REQUIRE(found.recorded.t.size() == expected.recorded.t.size());
        for (std::size_t n = 0; n < found.recorded.t.size(); ++n)
          CHECK_THAT(found.recorded.t[n], WithinAbs(expected.recorded.t[n], 1e-9));
        CHECK(voltage_distance(found, expected) < 1e-5);
      }
  }
}

TEST_CASE("atrium's fixed steps on a device end where a processor's do, interrupted or not", "[emulation]") {
  const problem p = sphere_problem(2, one_stimulus(4));
  for (int every : {1, 3}) {
    const control c = recording_every(fixed_steps(scheme::euler, rl, .05), every);
    const std::vector<double> stops{.123, 2, 4};
    const answer expected = answers("atrium/cpu_serial", p, c, precision::single, stops).front();
    for (const char* id : all)
      for (const answer& found : answers(id, p, c, precision::single, stops)) {
        INFO(id << ": " << voltage_distance(found, expected) << " mV");
        CHECK(found.end.state == ending::reached);
        CHECK(found.end.accepted == expected.end.accepted);
        CHECK(found.recorded.t == expected.recorded.t);
        CHECK(voltage_distance(found, expected) < 5e-3);
      }
  }
}

TEST_CASE("a device that makes the tables' reference follows a plain Algorithm 3", "[emulation]") {
  const auto expected = check::expect_run(scheme::cash_karp);
  for (const auto& s : made("atrium/cuda_device_control"))
    for (const auto& finding : check::verify(*s, *expected, precision::double_)) {
      INFO(checkers::describe(finding));
      CHECK(finding.good());
    }
}

TEST_CASE("tables of the voltage are as good as single precision through an action potential",
          "[emulation]") {
  // The same steps in double precision show the error of single precision alone.
  const problem p = sphere_problem(0, one_stimulus(60));
  const control c = recording_every(fixed_steps(scheme::euler, rl, .05), 1);
  const answer exact = answers("atrium/cpu_serial", p, c, precision::double_, {60}).front();
  const answer single = answers("atrium/cpu_serial", p, c, precision::single, {60}).front();
  REQUIRE(*std::max_element(exact.recorded.v.begin(), exact.recorded.v.end()) > 0);
  const double of_single = voltage_distance(single, exact);
  for (const answer& found : answers("atrium/cuda_tuned", p, c, precision::single, {60})) {
    INFO("tables " << voltage_distance(found, exact) << " mV, single precision " << of_single << " mV");
    CHECK(voltage_distance(found, exact) < 5e-3 + 5 * of_single);
  }
}

TEST_CASE("voltages beyond the tables on chip are looked up all the same", "[emulation]") {
  problem p = skew_problem(1);
  p.state0[3][at_v] = 140;
  p.state0[17][at_v] = -170;
  const control c = fixed_steps(scheme::euler, rl, .01);
  const answer expected = answers("atrium/cpu_serial", p, c, precision::single, {.05}).front();
  for (const answer& found : answers("atrium/cuda_tuned", p, c, precision::single, {.05}))
    CHECK(voltage_distance(found, expected) < 2e-3);
}

TEST_CASE("a device names the cell that is no number, with the time", "[emulation]") {
  problem p = sphere_problem(2, one_stimulus(5));
  p.state0[77][at_cai] = std::numeric_limits<double>::quiet_NaN();
  for (const char* id : all)
    for (const answer& found : answers(id, p, fixed_steps(scheme::euler, rl, .05), precision::single, {5})) {
      INFO(id);
      CHECK(found.end.state == ending::not_a_number);
      CHECK(found.end.t == 0);
      CHECK(found.end.bad_cell == 77);
      CHECK(found.state[5][at_v] == static_cast<double>(static_cast<float>(p.state0[5][at_v])));
      CHECK_THAT(check::failure_of(p, found.end),
                 ContainsSubstring("cell 77 is no cell any more at t = 0.05"));
    }
  for (const char* id : deciding) {
    const control c = adaptive_steps(scheme::trapezoidal, rl, 1, 0, 5);
    for (const answer& found : answers(id, p, c, precision::single, {5})) {
      CHECK(found.end.state == ending::not_a_number);
      CHECK(found.end.t == 0);
      CHECK(found.end.bad_cell >= 0);
      CHECK(found.end.bad_cell <= 77);
    }
  }
}

TEST_CASE("a device's step above the limit of diffusion ends where a processor's does", "[emulation]") {
  const problem p = sphere_problem(1, one_stimulus(40));
  const control c = recording_every(fixed_steps(scheme::euler, rl, 1.3 * diffusive_step_limit(p)), 1);
  const answer expected = answers("atrium/cpu_serial", p, c, precision::single, {40}).front();
  REQUIRE(expected.end.state == ending::not_a_number);
  for (const char* id : all)
    for (const answer& found : answers(id, p, c, precision::single, {40})) {
      INFO(id);
      CHECK(found.end.state == ending::not_a_number);
      CHECK_THAT(check::failure_of(p, found.end), ContainsSubstring("above the limit of stability"));
      CHECK(std::abs(found.end.accepted - expected.end.accepted) <= 5);
      CHECK(found.recorded.t.size() == static_cast<std::size_t>(found.end.accepted) + 1);
      for (const cell_state& y : found.state) CHECK(std::abs(y[at_v]) < largest_voltage);
    }
}

TEST_CASE("a device's tolerances that cannot be met end in stagnation", "[emulation]") {
  const problem p = sphere_problem(1, one_stimulus(5));
  for (const char* id : deciding) {
    const control c = adaptive_steps(scheme::trapezoidal, rl, 1e-13, 0, 5);
    for (const answer& found : answers(id, p, c, precision::single, {5})) {
      CHECK(found.end.state == ending::stagnated);
      CHECK(found.end.accepted + found.end.rejected < 100);
    }
    control few = adaptive_steps(scheme::trapezoidal, rl, 1e-3, 0, 5);
    few.most_attempts = 50;
    for (const answer& found : answers(id, p, few, precision::double_, {5})) {
      CHECK(found.end.state == ending::too_many_steps);
      CHECK(found.end.accepted + found.end.rejected == 50);
    }
  }
}

TEST_CASE("the parts of a device's attempt can be launched on their own and change nothing", "[emulation]") {
  const problem p = sphere_problem(1, one_stimulus(5));
  const control c = adaptive_steps(scheme::bogacki_shampine, rl, 1, 0, 5);
  const auto undisturbed = answers("atrium/cuda_stages", p, c, precision::double_, {2, 5});
  std::size_t device = 0;
  for (const auto& s : made("atrium/cuda_stages")) {
    s->load(p, precision::double_);
    s->reset(fixed_steps(scheme::euler, rl, .05));
    CHECK(s->kernels().empty());
    s->reset(c);
    s->advance(2);
    std::vector<std::string> names;
    for (const kernel_probe& k : s->kernels()) {
      names.push_back(k.name);
      k.launch();
      k.launch();
    }
    CHECK(names == std::vector<std::string>{"stages", "errors", "reduction"});
    const progress end = s->advance(5);
    CHECK(end.accepted == undisturbed.at(device).end.accepted);
    CHECK(s->state() == undisturbed.at(device).state);
    ++device;
  }
}

TEST_CASE("what the sphere on chip cannot do is unavailable, with a reason", "[emulation]") {
  const problem p = sphere_problem(0);
  for (const auto& s : made("atrium/cuda_tuned")) {
    s->load(p, precision::single);
    CHECK_THROWS_AS(s->reset(fixed_steps(scheme::midpoint, rl, .05)), unavailable);
    CHECK_THROWS_AS(s->reset(fixed_steps(scheme::euler, plain, .05)), unavailable);
    CHECK_THROWS_AS(s->reset(adaptive_steps(scheme::trapezoidal, rl, 1, 0, 5)), unavailable);
  }
}
