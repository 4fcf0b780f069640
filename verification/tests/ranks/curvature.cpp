// SPDX-License-Identifier: MIT
// Tests curvature flows on all ranks that mpirun started, against one rank and against the reference.
#include <fmt/core.h>

#include "benchmarks/scale/surfaces.hpp"
#include "solvers/common/ranks/ranks.hpp"
#include "solvers/curvature/row_blocks.hpp"
#include "verification/tests/support/curvature_surfaces.hpp"

using namespace reprise::curvature::tests;

namespace {

std::unique_ptr<solver> on_ranks(int count) {
  auto s = verification::made<solver>(harness::targets_of("curvature/cuda_multi", "emulated", true).front());
  dynamic_cast<ranks::spread&>(*s).use_ranks(count);
  return s;
}

// As few rows as all ranks can share, with one more row on some ranks, and wider than a strip and a tile.
problem low_problem(flow motion, boundary at_border) {
  return skew_problem(motion, at_border, 67, halo_rows(motion) * ranks::count() + 2);
}

struct outcome {
  merson state;
  std::vector<double> surface;
};

outcome outcome_of(int count, const problem& p, precision arithmetic, const control& c, double t_end) {
  const auto s = on_ranks(count);
  s->load(p, arithmetic);
  s->reset(c);
  s->advance(.4 * t_end);
  const merson m = s->advance(t_end);
  return {m, s->surface()};
}

}  // namespace

TEST_CASE("at equal steps all ranks together give what one gives") {
  for_every_setting([&](flow motion, boundary at_border) {
    const problem p = low_problem(motion, at_border);
    const double tau = .8 * largest_stable_step(p);
    for (precision arithmetic : {precision::single, precision::double_}) {
      const outcome alone = outcome_of(1, p, arithmetic, fixed_steps(tau), 4.5 * tau);
      const outcome together = outcome_of(ranks::count(), p, arithmetic, fixed_steps(tau), 4.5 * tau);
      INFO(to_string(arithmetic));
      CHECK(together.state.accepted == 5);
      CHECK(together.state.error == alone.state.error);
      CHECK(together.surface == alone.surface);
    }
  });
}

TEST_CASE("adaptive runs on all ranks take the steps of one rank, some of them rejected") {
  for_every_setting([&](flow motion, boundary at_border) {
    const problem p = low_problem(motion, at_border);
    const double t_end = 6 * largest_stable_step(p);
    control c = make_control(p, t_end, 1e-6);
    c.first_step = 5 * largest_stable_step(p);
    const outcome alone = outcome_of(1, p, precision::double_, c, t_end);
    const outcome together = outcome_of(ranks::count(), p, precision::double_, c, t_end);
    CHECK(together.state.rejected > 0);
    CHECK(together.state.accepted == alone.state.accepted);
    CHECK(together.state.rejected == alone.state.rejected);
    CHECK(together.state.t == t_end);
    CHECK(together.surface == alone.surface);
  });
}

TEST_CASE("all ranks together pass what checks every variant") {
  const auto all = on_ranks(ranks::count());
  for_every_setting([&](flow motion, boundary at_border) {
    const problem p = low_problem(motion, at_border);
    all->load(p, precision::double_);
    CHECK(checkers::all_good(check::verify(*all, *check::expect_steps(p), precision::double_)));
    CHECK(checkers::all_good(check::verify(*all, check::run_expectation(p), precision::double_)));
  });
}

TEST_CASE("without exchange the answer is wrong, and right again with it") {
  const auto all = on_ranks(ranks::count());
  auto& spread = dynamic_cast<ranks::spread&>(*all);
  const problem p = low_problem(flow::mean_curvature, boundary::dirichlet);
  const check::stepwise_expectation e(p);
  spread.leave_out_exchange(true);
  all->load(p, precision::double_);
  CHECK_FALSE(checkers::all_good(check::verify(*all, e, precision::double_)));
  spread.leave_out_exchange(false);
  CHECK(checkers::all_good(check::verify(*all, e, precision::double_)));
}

TEST_CASE("the time of an attempt is split into parts that fit each other") {
  const auto all = on_ranks(ranks::count());
  const problem p = low_problem(flow::mean_curvature, boundary::manufactured);
  all->load(p, precision::single);
  all->reset(make_control(p, .1, 1e-6));
  auto& spread = dynamic_cast<ranks::spread&>(*all);
  const ranks::time_split with = spread.split(3);
  CHECK(with.compute > 0);
  CHECK(with.exchange > 0);
  CHECK(with.wait >= 0);
  CHECK(std::abs(with.compute + with.wait - with.step) <= 1e-9 * with.step);
  spread.leave_out_exchange(true);
  CHECK(spread.split(3).exchange < .1 * with.exchange);
}

TEST_CASE("a case of the scaling experiments is right on all ranks and says where its time goes") {
  const int low = halo_rows(flow::mean_curvature) * ranks::count() + 1;
  const auto plan = harness::scale::plan_surface("curvature/cuda_multi", {24, low}, ranks::count());
  const auto subject =
      verification::require_case(plan, harness::targets_of(plan.variant, "emulated", true).front(), 3);
  CHECK(checkers::all_good(subject->verify()));
  std::map<std::string, double> found;
  for (const harness::found& f : subject->results()) found[f.metric] = f.value;
  for (const char* const metric : {"time_step", "cells_per_second", "accepted_steps", "rejected_steps",
                                   "compute_time", "exchange_time"}) {
    INFO(metric);
    CHECK(found[metric] > 0);
  }
  CHECK(found.contains("exposed_communication"));
}

TEST_CASE("a grid that is too low for its ranks is refused in a line, and fits fewer") {
  const auto all = on_ranks(ranks::count());
  for (flow motion : all_flows) {
    const problem p =
        skew_problem(motion, boundary::neumann, 9, halo_rows(motion) * ranks::count());  // one row too few
    const int count = ranks::count();
    CHECK_THAT(complaint_of<unavailable>([&] { all->load(p, precision::double_); }),
               ContainsSubstring(fmt::format("inner rows are too few for {} ranks", count)) &&
                   ContainsSubstring(fmt::format("start at most {}", count - 1)));
    const auto fewer = on_ranks(ranks::count() - 1);
    fewer->load(p, precision::double_);
    CHECK(checkers::all_good(check::verify(*fewer, *check::expect_steps(p), precision::double_)));
  }
}

TEST_CASE("more ranks than were started are refused") {
  const auto more = on_ranks(ranks::count() + 1);
  const problem p = skew_problem(flow::mean_curvature, boundary::neumann, 9, 100);
  CHECK_THROWS_AS(more->load(p, precision::double_), unavailable);
}

TEST_CASE("a hole in one rank's rows ends the run of all, and the next run is right") {
  const auto all = on_ranks(ranks::count());
  problem p = low_problem(flow::mean_curvature, boundary::neumann);
  p.u0[node(p, 4, p.cells_y - 2)] = not_a_number;
  all->load(p, precision::double_);
  all->reset(make_control(p, 1e-3, 1e-6));
  CHECK(check::failure_of(all->advance(1e-3)).starts_with("unstable at t = 0"));

  const problem whole = low_problem(flow::mean_curvature, boundary::neumann);
  all->load(whole, precision::double_);
  CHECK(checkers::all_good(check::verify(*all, check::run_expectation(whole), precision::double_)));
}
