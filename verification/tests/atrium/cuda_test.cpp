// SPDX-License-Identifier: MIT
// Tests the atrium's CUDA variants, on a device if there is one and in emulation: they take the same steps as
// cpu_serial, and what they cannot do is unavailable.
#include "verification/atrium/states.hpp"
#include "verification/atrium/timed_run.hpp"
#include "verification/tests/support/atrium_runs.hpp"

using namespace reprise::atrium::tests;

namespace {

answer serial_answer(const problem& p, const control& c, precision arithmetic,
                     const std::vector<double>& stops) {
  return answers({"atrium/cpu_serial"}, p, c, arithmetic, stops).front();
}

double distance(const answer& a, const answer& b) {
  double most = voltage_distance(a.state, b.state);
  for (std::size_t n = 0; n < b.recorded.v.size(); ++n)
    most = std::max(most, std::abs(a.recorded.v.at(n) - b.recorded.v[n]));
  return most;
}

}  // namespace

TEST_CASE("atrium's device takes the steps that a processor takes, and records them", "[emulation]") {
  const problem p = sphere_problem(1, one_stimulus(3));
  for (auto [pair, gates] : {std::pair{scheme::bogacki_shampine, rl},
                             {scheme::trapezoidal, rl},
                             {scheme::fehlberg, rl},
                             {scheme::bogacki_shampine, plain}}) {
    const control c = recording_every(2, adaptive_steps(pair, gates, .1, .01, 3));
    const answer expected = serial_answer(p, c, precision::double_, {1.7, 3});
    REQUIRE(expected.end.rejected > 0);
    for (const answer& found : answers(deciding_gpu_codes, p, c, precision::double_, {1.7, 3})) {
      INFO(found.id << ' ' << to_string(pair) << ' ' << to_string(gates));
      CHECK(found.end.state == ending::reached);
      CHECK(found.end.t == 3);
      CHECK(found.end.accepted == expected.end.accepted);
      CHECK(found.end.rejected == expected.end.rejected);
      CHECK(found.end.evaluations == expected.end.evaluations);
      REQUIRE(found.recorded.t.size() == expected.recorded.t.size());
      for (std::size_t n = 0; n < found.recorded.t.size(); ++n)
        CHECK_THAT(found.recorded.t[n], WithinAbs(expected.recorded.t[n], 1e-9));
      CHECK(distance(found, expected) < 1e-5);
    }
  }
}

TEST_CASE("atrium's fixed steps on a device end where a processor's do, interrupted or not", "[emulation]") {
  const problem p = sphere_problem(2, one_stimulus(4));
  for (int every : {1, 3}) {
    const control c = recording_every(every, fixed_steps(scheme::euler, rl, .05));
    const answer expected = serial_answer(p, c, precision::single, {.123, 2, 4});
    for (const answer& found : answers(gpu_codes, p, c, precision::single, {.123, 2, 4})) {
      INFO(found.id << ": " << distance(found, expected) << " mV");
      CHECK(found.end.state == ending::reached);
      CHECK(found.end.accepted == expected.end.accepted);
      CHECK(found.recorded.t == expected.recorded.t);
      CHECK(distance(found, expected) < 5e-3);
    }
  }
}

TEST_CASE("a device that makes the tables' reference follows a plain Algorithm 3", "[emulation]") {
  const auto expected = check::expect_run(scheme::cash_karp);
  for (const auto& s : made_everywhere("atrium/cuda_device_control"))
    for (const auto& finding : check::verify(*s, *expected, precision::double_)) {
      INFO(checkers::describe(finding));
      CHECK(finding.good());
    }
}

TEST_CASE("tables of the voltage keep single precision through an action potential", "[emulation]") {
  // The same steps in double precision show the error of single precision alone.
  const problem p = sphere_problem(0, one_stimulus(60));
  const control c = recording_every(1, fixed_steps(scheme::euler, rl, .05));
  const answer exact = serial_answer(p, c, precision::double_, {60});
  REQUIRE(std::ranges::max(exact.recorded.v) > 0);
  const double of_single = distance(serial_answer(p, c, precision::single, {60}), exact);
  for (const answer& found :
       answers({"atrium/cuda_tuned", "atrium/cuda_streamed"}, p, c, precision::single, {60})) {
    INFO("tables " << distance(found, exact) << " mV, single precision " << of_single << " mV");
    CHECK(distance(found, exact) < 5e-3 + 5 * of_single);
  }
}

TEST_CASE("voltages beyond the tables on chip are looked up all the same", "[emulation]") {
  problem p = verification::atrium::skew_problem(1);
  p.state0[3][at_v] = 140;
  p.state0[17][at_v] = -170;
  const control c = fixed_steps(scheme::euler, rl, .01);
  const answer expected = serial_answer(p, c, precision::single, {.05});
  for (const answer& found :
       answers({"atrium/cuda_tuned", "atrium/cuda_streamed"}, p, c, precision::single, {.05}))
    CHECK(distance(found, expected) < 2e-3);
}

TEST_CASE("a device's step above the limit of diffusion ends where a processor's does", "[emulation]") {
  const problem p = sphere_problem(1, one_stimulus(40));
  const control c = recording_every(1, fixed_steps(scheme::euler, rl, 1.3 * diffusive_step_limit(p)));
  const answer expected = serial_answer(p, c, precision::single, {40});
  REQUIRE(expected.end.state == ending::not_a_number);
  for (const answer& found : answers(gpu_codes, p, c, precision::single, {40})) {
    INFO(found.id);
    CHECK(found.end.state == ending::not_a_number);
    CHECK_THAT(check::failure_of(p, found.end), ContainsSubstring("above the limit of stability"));
    CHECK(std::abs(found.end.accepted - expected.end.accepted) <= 5);
    CHECK(found.recorded.t.size() == static_cast<std::size_t>(found.end.accepted) + 1);
    for (const cell_state& y : found.state) CHECK(std::abs(y[at_v]) < largest_voltage);
    // The state is that of the steps it counts: near the end, one step more or less changes it by half.
    for (const answer& stopped : answers({found.id}, p, c, precision::single, {found.end.t})) {
      CHECK(stopped.end.accepted == found.end.accepted);
      CHECK(voltage_distance(stopped.state, found.state) < .01 * largest_voltage);
    }
  }
}

TEST_CASE("the parts of a device's attempt can be launched on their own and change nothing", "[emulation]") {
  const problem p = sphere_problem(1, one_stimulus(5));
  const control c = adaptive_steps(scheme::bogacki_shampine, rl, 1, 0, 5);
  const auto undisturbed = answers({"atrium/cuda_stages"}, p, c, precision::double_, {2, 5});
  std::size_t device = 0;
  for (const auto& s : made_everywhere("atrium/cuda_stages")) {
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
  for (const auto& s : made_everywhere("atrium/cuda_tuned")) {
    s->load(p, precision::single);
    CHECK_THROWS_AS(s->reset(fixed_steps(scheme::euler, plain, .05)), unavailable);
    CHECK_THROWS_AS(s->reset(adaptive_steps(scheme::trapezoidal, plain, 1, 0, 5)), unavailable);
  }
}

TEST_CASE("what parts on chip cannot do is unavailable, with a reason", "[emulation]") {
  const problem p = sphere_problem(0);
  for (const auto& s : made_everywhere("atrium/cuda_tuned_multi")) {
    s->load(p, precision::single);
    CHECK_THROWS_AS(s->reset(fixed_steps(scheme::euler, plain, .05)), unavailable);
    CHECK_THROWS_AS(s->reset(adaptive_steps(scheme::trapezoidal, rl, 1, 0, 5)), unavailable);
    CHECK_THROWS_MATCHES(s->load(sphere_problem(6), precision::single), unavailable,
                         testing::says("does not fit on chip: 2561 cells for each multiprocessor"));
  }
}

TEST_CASE("what does not stream is unavailable, with a reason", "[emulation]") {
  const problem p = sphere_problem(0);
  for (const auto& s : made_everywhere("atrium/cuda_streamed")) {
    s->load(p, precision::single);
    CHECK_THROWS_AS(s->reset(fixed_steps(scheme::midpoint, rl, .05)), unavailable);
    CHECK_THROWS_AS(s->reset(fixed_steps(scheme::euler, plain, .05)), unavailable);
  }
}

TEST_CASE("adaptive steps on chip are those of a processor, paused or not", "[emulation]") {
  const problem p = sphere_problem(2, one_stimulus(4));
  for (scheme pair : {scheme::trapezoidal, scheme::bogacki_shampine, scheme::fehlberg, scheme::cash_karp}) {
    const control c = recording_every(2, adaptive_steps(pair, rl, .1, .01, 4));
    const answer expected = serial_answer(p, c, precision::single, {1.7, 4});
    REQUIRE(expected.end.rejected > 0);
    control pausing = c;
    pausing.pause_count = 2;
    pausing.pause_steps = 2;
    pausing.pauses[0] = 1.2;
    pausing.pauses[1] = 1.6;
    for (const auto& s : made_everywhere("atrium/cuda_tuned")) {
      const answer found = answer_of(*s, p, c, precision::single, {1.7, 4});
      INFO(to_string(pair) << ": " << distance(found, expected) << " mV");
      CHECK(found.end.accepted == expected.end.accepted);
      CHECK(std::abs(found.end.rejected - expected.end.rejected) <= 1);
      CHECK(found.recorded.t.size() == expected.recorded.t.size());
      CHECK(distance(found, expected) < .5);
      s->reset(pausing);
      int pauses = 0;
      for (double stop : {1.7, 4.})
        while (s->advance(stop).state == ending::paused) ++pauses;
      CHECK(pauses >= 3);
      CHECK(s->state() == found.state);
      CHECK(s->recorded().v == found.recorded.v);
    }
  }
}

TEST_CASE("timed work on chip is that of the reference, in the windows of a run that pauses", "[emulation]") {
  const problem p = sphere_problem(1, one_stimulus(4));
  for (const control& c :
       {fixed_steps(scheme::exponential_midpoint, rl, .05), fixed_steps(scheme::midpoint, rl, .05),
        adaptive_steps(scheme::trapezoidal, rl, .1, .01, 4),
        adaptive_steps(scheme::bogacki_shampine, rl, .1, .01, 4),
        adaptive_steps(scheme::fehlberg, rl, .1, .01, 4)})
    for (const auto& s : made_everywhere("atrium/cuda_tuned")) {
      s->load(p, precision::single);
      const control recorded = recording_every(1, c);
      const auto advance = [&](double t_end) { return s->advance(t_end); };
      const check::watched_run watched = check::watch(*s, p, recorded, 4, "seed", advance);
      s->reset(recorded);
      s->advance(4);
      auto findings = check::judge(watched, p, precision::single);
      findings.push_back(check::judge_repeated(watched, s->state(), s->recorded()));
      for (const auto& finding : findings) {
        INFO(to_string(c.method) << ": " << checkers::describe(finding));
        CHECK(finding.good());
      }
    }
}

TEST_CASE("a cell that fails on chip ends a run of adaptive steps as on a processor", "[emulation]") {
  const problem p = with_bad_cell(sphere_problem(1, one_stimulus(4)), 17);
  const control c = adaptive_steps(scheme::bogacki_shampine, rl, .1, .01, 4);
  const answer expected = serial_answer(p, c, precision::single, {4});
  REQUIRE(expected.end.state == ending::not_a_number);
  for (const answer& found : answers({"atrium/cuda_tuned"}, p, c, precision::single, {4})) {
    CHECK(found.end.state == ending::not_a_number);
    CHECK(found.end.bad_cell == expected.end.bad_cell);
    CHECK(found.end.rejected == expected.end.rejected);
  }
}
