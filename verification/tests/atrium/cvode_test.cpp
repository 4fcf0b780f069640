// SPDX-License-Identifier: MIT
// Tests CVODE as a black box: its answers, the effect of its tolerances, and the messages of runs that fail.
#include "verification/tests/support/atrium_runs.hpp"

using namespace reprise::atrium::tests;

namespace {

control black_box(double at, double rt, double t_end) {
  return recording_every(1, adaptive_steps(scheme::black_box, plain, at, rt, t_end));
}

// Calls test(solver, target) for each black box that was built.
template <class Test>
void for_every_black_box(Test test) {
  verification::for_every_target("atrium", [&](const harness::target& on, const std::string& name) {
    if (!is_black_box(on.variant->id)) return;
    DYNAMIC_SECTION(name) {
      test(*verification::made<solver>(on), on);
    }
  });
}

progress run(solver& s, const problem& p, const control& c) {
  s.load(p, precision::double_);
  s.reset(c);
  return s.advance(p.protocol.t_end);
}

}  // namespace

TEST_CASE("CVODE follows an action potential, and tighter tolerances buy accuracy with steps") {
  const problem p = single_cell_problem(one_stimulus(300));
  const ref::run exact = ref::integrate(p, 300, 1e-8);
  for_every_black_box([&](solver& s, const harness::target&) {
    const progress loose = run(s, p, black_box(1e-2, 1e-3, 300));
    const auto far = check::errors_of(s.recorded(), exact.recorded);
    const progress tight = run(s, p, black_box(1e-7, 1e-6, 300));
    const auto near = check::errors_of(s.recorded(), exact.recorded);
    INFO("shifts " << far.shift << " and " << near.shift << " ms, steps " << loose.accepted << " and "
                   << tight.accepted);
    CHECK(loose.state == ending::reached);
    CHECK(tight.state == ending::reached);
    CHECK(loose.accepted < tight.accepted);
    CHECK(loose.evaluations < tight.evaluations);
    CHECK(loose.evaluations > loose.accepted);
    CHECK(near.shift < 1e-4);
    CHECK(near.shift < far.shift);
    CHECK(std::abs(s.state()[0][at_v] - exact.y[0][at_v]) < 1e-3);
  });
}

TEST_CASE("CVODE stops where a stimulus begins and ends, and where it is told to") {
  const problem p = sphere_problem(0, one_stimulus(6));
  for_every_black_box([&](solver& s, const harness::target&) {
    s.load(p, precision::double_);
    s.reset(black_box(1e-4, 1e-4, 6));
    CHECK(s.advance(2.2).t == 2.2);
    const progress end = s.advance(6);
    CHECK(end.t == 6);
    const auto t = s.recorded().t;
    CHECK(t.size() == static_cast<std::size_t>(end.accepted) + 1);
    CHECK(std::is_sorted(t.begin(), t.end()));
    for (double stop : {0., 1., 2.2, 3., 6.}) CHECK(std::find(t.begin(), t.end(), stop) != t.end());
  });
}

TEST_CASE("CVODE's failures name a cell and a time where there is a bad one") {
  for_every_black_box([](solver& s, const harness::target&) {
    const problem no_number = with_bad_cell(sphere_problem(2, one_stimulus(5)), 77);
    const progress at_once = run(s, no_number, black_box(1e-4, 1e-4, 5));
    CHECK(at_once.state == ending::not_a_number);
    CHECK_THAT(check::failure_of(no_number, at_once),
               ContainsSubstring("cell 77 is no cell any more at t = 0 ms"));

    protocol strong = one_stimulus(5);
    strong.stimuli[0].strength = 1e5;
    const problem burst = single_cell_problem(strong);
    const progress later = run(s, burst, black_box(1e-4, 1e-4, 5));
    CHECK(later.state == ending::not_a_number);
    CHECK(later.bad_cell == 0);
    CHECK_THAT(check::failure_of(burst, later), ContainsSubstring("cell 0 is no cell any more at t = 1.00"));
  });
}

TEST_CASE("CVODE gives up within a bound, and says where") {
  const problem p = single_cell_problem(one_stimulus(20));
  for_every_black_box([&](solver& s, const harness::target&) {
    const progress bounded = run(s, p, with_attempts(50, black_box(1e-6, 1e-4, 20)));
    CHECK(bounded.state == ending::too_many_steps);
    CHECK(bounded.accepted + bounded.rejected < 60);
    CHECK_THAT(check::failure_of(p, bounded), ContainsSubstring("stagnated at t = "));

    for (double at : {1e-13, 1e-300}) {
      const progress end = run(s, p, black_box(at, 0, 20));
      INFO(check::failure_of(p, end));
      CHECK(end.state == ending::stagnated);
      CHECK(end.accepted + end.rejected < 2000);
      CHECK_THAT(check::failure_of(p, end), ContainsSubstring("cannot be met"));
    }
  });
}

TEST_CASE("what a black box cannot do is refused, and it is refused by others") {
  CHECK_THROWS_AS(fixed_steps(scheme::black_box, plain, .01), bad_input);
  CHECK_THROWS_AS(adaptive_steps(scheme::black_box, rl, 1, 0, 5), bad_input);
  const problem p = sphere_problem(0);
  for_every_black_box([&](solver& s, const harness::target& on) {
    CHECK_THROWS_AS(s.load(p, precision::single), unavailable);
    s.load(p, precision::double_);
    CHECK_THROWS_AS(s.reset(adaptive_steps(scheme::fehlberg, plain, 1, 0, 5)), unavailable);
    harness::target small = on;
    small.device.memory_bytes = 1 << 20;
    const auto limited = verification::made<solver>(small);
    limited->load(p, precision::double_);
    CHECK_THROWS_AS(limited->load(sphere_problem(4), precision::double_), unavailable);
  });
  for (const char* id : {"atrium/cpu_serial", "atrium/openmp"}) {
    const auto s = verification::on_host<solver>(id);
    s->load(p, precision::double_);
    CHECK_THROWS_AS(s->reset(black_box(1, 0, 5)), unavailable);
  }
}
