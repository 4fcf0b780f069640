// SPDX-License-Identifier: MIT
// Tests that no judge of a curvature answer passes a NaN or an infinity, wherever it stands, and that the
// problems are those of the reference's literals.
#include "verification/curvature/pinned.hpp"
#include "verification/curvature/trajectory.hpp"
#include "verification/curvature/whole_run.hpp"
#include "verification/tests/support/curvature_surfaces.hpp"

using namespace reprise::curvature::tests;

namespace {

const std::vector<double> holes{not_a_number, infinity, -infinity};

// The middle, the first and the last value: a maximum may lose a NaN at one of them only.
std::vector<std::size_t> places(const surface& u) {
  return {0, u.size() / 2, u.size() - 1};
}

template <class Judge>
void check_holes(const surface& right, Judge is_good) {
  CHECK(is_good(right));
  for (const double hole : holes)
    for (const std::size_t place : places(right)) {
      surface wrong = right;
      wrong[place] = hole;
      INFO(hole << " at " << place);
      CHECK_FALSE(is_good(wrong));
    }
  surface shorter = right;
  shorter.pop_back();
  CHECK_FALSE(is_good(shorter));
}

ref::integration integrated(const problem& p, const control& c, double t) {
  ref::integration run;
  run.u = p.u0;
  run.wanted = c.first_step;
  ref::advance(p, run, t, {.eps = c.eps});
  return run;
}

merson state_of(const ref::integration& run, const control& c) {
  merson m = at_start(c);
  m.t = run.t;
  m.wanted = run.wanted;
  m.error = run.error;
  m.accepted = run.accepted;
  m.rejected = run.rejected;
  m.evaluations = 5 * (run.accepted + run.rejected);
  return m;
}

}  // namespace

TEST_CASE("no judge of a stretch passes a hole in the surface, the step or the time") {
  const problem p = skew_problem(flow::mean_curvature, boundary::dirichlet, 9, 8);
  const double t = 3 * largest_stable_step(p);
  const control c = make_control(p, t, 1e-6);
  const auto run = integrated(p, c, t);
  const check::moment before{at_start(c), p.u0};
  const auto is_good = [&](const surface& from, const merson& state, const surface& to) {
    return checkers::all_good(check::judge_stretch(p, c, {before.state, from}, std::vector{t}, {state, to},
                                                   precision::double_, check::timed_metrics));
  };
  const merson state = state_of(run, c);
  check_holes(run.u, [&](const surface& u) { return is_good(p.u0, state, u); });
  for (const double hole : holes) {
    surface begun = p.u0;
    begun[node(p, 4, 4)] = hole;
    CHECK_FALSE(is_good(begun, state, run.u));
    for (double merson::*value : {&merson::wanted, &merson::t}) {
      merson wrong = state;
      wrong.*value = hole;
      CHECK_FALSE(is_good(p.u0, wrong, run.u));
    }
  }
}

TEST_CASE("no judge of a few steps or of a run passes a hole") {
  const problem p = skew_problem(flow::mean_curvature, boundary::dirichlet, 9, 8);
  const check::stepwise_expectation steps(p);
  const auto few = ref::merson_steps(p, steps.tau(), steps.steps);
  merson m = at_start(fixed_steps(steps.tau()));
  m.error = few.error;
  check_holes(few.u,
              [&](const surface& u) { return checkers::all_good(steps.judge(u, m, precision::double_)); });
  for (const double hole : holes) {
    m.error = hole;
    CHECK_FALSE(checkers::all_good(steps.judge(few.u, m, precision::double_)));
  }
  const check::run_expectation run(p);
  const auto whole = integrated(p, run.control(), run.sample_times().back());
  check_holes(whole.u, [&](const surface& u) {
    return checkers::all_good(run.judge(u, state_of(whole, run.control()), precision::double_));
  });
}

TEST_CASE("no judge of a whole run of the paper passes a hole") {
  const problem p = manufactured_problem(flow::mean_curvature, 15, 15);
  const auto times = ref::table_times();
  const check::whole_run_expectation e(p, check::start::skew, times, {.eps = 5e-7});
  const control c = make_control(p, times.back(), 5e-7);
  std::vector<surface> seen;
  const auto run = ref::merson_adaptive(p, times, c.eps, c.first_step,
                                        [&](double, const surface& u) { seen.push_back(u); });
  merson m = at_start(c);
  m.t = times.back();
  m.accepted = run.accepted;
  for (const std::size_t k : {0U, 7U, 19U})
    check_holes(seen[k], [&](const surface& u) {
      auto surfaces = seen;
      surfaces[k] = u;
      return checkers::all_good(e.judge(surfaces, m, precision::double_));
    });
  const problem fine = manufactured_problem(flow::mean_curvature, 256, 256);
  m.accepted = 260;
  const ref::norms right{2.4596e-5, 3.0869e-5, 1.53181e-4};
  CHECK(checkers::all_good(check::judge_norms(fine, right, m, precision::double_)));
  for (const double wrong : {not_a_number, infinity, 2 * 1.53181e-4, .9 * 1.53181e-4})
    for (double ref::norms::*norm : {&ref::norms::l1, &ref::norms::l2, &ref::norms::linf}) {
      ref::norms found = right;
      found.*norm = wrong;
      CHECK_FALSE(checkers::all_good(check::judge_norms(fine, found, m, precision::double_)));
    }
}

TEST_CASE("the problems are the paper's, and a change by a millionth is seen") {
  for_every_setting([](flow motion, boundary at_border) {
    const problem p = skew_problem(motion, at_border, 12, 9);
    CHECK(check::judge_problem(p, check::start::skew).good());
    problem wide = p;
    wide.half_width *= 1 + 1e-6;
    CHECK_FALSE(check::judge_problem(wide, check::start::skew).good());
    check_holes(p.u0, [&](const surface& u) {
      problem other = p;
      other.u0 = u;
      return other.u0.size() == p.u0.size() && check::judge_problem(other, check::start::skew).good();
    });
    problem raised = p;
    raised.u0[node(p, 5, 4)] += 1e-6;
    CHECK_FALSE(check::judge_problem(raised, check::start::skew).good());
    control c = make_control(p, .1, 5e-7);
    CHECK(check::judge_control(p, c, .1, 5e-7).good());
    for (double control::*value : {&control::eps, &control::first_step})
      for (const double factor : {1 + 1e-6, not_a_number, infinity}) {
        control other = c;
        other.*value *= factor;
        CHECK_FALSE(check::judge_control(p, other, .1, 5e-7).good());
      }
  });
  for (flow motion : all_flows)
    CHECK(check::judge_problem(evolution_problem(motion, 32, 32), check::start::evolution).good());
}
