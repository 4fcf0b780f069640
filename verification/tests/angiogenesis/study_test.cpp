// SPDX-License-Identifier: MIT
// Tests parameter studies: each member is a separate run, a member that blows up is reported and does not
// stop the others, and faults in a study or its answer are found.
#include "verification/tests/support/angiogenesis_systems.hpp"
#include "verification/tests/support/sabotage.hpp"

using namespace reprise::angiogenesis::tests;

namespace {

study_answer answer_of(study_runner& s, const study& several) {
  s.load(several);
  s.run();
  return s.answer();
}

study smooth_study(int members, int nodes, int steps) {
  study s = spread_study(members, nodes, steps);
  for (parameters& with : s.members) with.d_c = with.d_p = with.d_i = .1;
  s.u0 = make_problem(fast_parameters(), taxis::nodal, start::smooth, nodes, s.dt).u0;
  return s;
}

// Runs studies correctly, except for one fault.
class sabotaged final
    : public verification::sabotaged_solver<sabotaged, study_runner, void(study&), void(study_answer&)> {
 public:
  using sabotaged_solver::sabotaged_solver;
  void load(const study& s) override { honest_.load(edited(s)); }
  void run() override { honest_.run(); }
  study_answer answer() override { return edited(honest_.answer()); }
  work per_unit() const override { return honest_.per_unit(); }
};

}  // namespace

TEST_CASE("every member of a study is right, whatever the grid") {
  for_every_variant<study_runner>([](study_runner& s) {
    for (int nodes : {3, 32, 33, 70, 97, 128}) {
      INFO(nodes << " nodes");
      CHECK(checkers::all_good(check::verify(s, check::study_expectation(smooth_study(3, nodes, 3)))));
    }
  });
}

TEST_CASE("a warp runs a member in every reading, whatever number of nodes its lanes have") {
  const auto s = made_on<study_runner>("emulated", "cuda_study");
  for (int nodes : {96, 129, 161, 200, 225, 270, 289, 321, 353, 400, 416, 417})
    for (taxis reading : all_readings) {
      INFO(nodes << " nodes, " << to_string(reading));
      study several = smooth_study(2, nodes, 2);
      several.reading = reading;
      CHECK(checkers::all_good(check::verify(*s, check::study_expectation(several))));
    }
}

TEST_CASE("a study agrees with the host's member by member and runs again from its start") {
  const study several = spread_study(5, 12, 6);
  const study_answer expected = answer_of(*made_on<study_runner>("cpu", "cpu_study"), several);
  for_every_variant<study_runner>([&](study_runner& s) {
    const study_answer first = answer_of(s, several);
    CHECK(checkers::all_good(check::compare(several, first, expected)));
    s.run();
    CHECK(s.answer() == first);
    const study_answer none = answer_of(s, spread_study(2, 12, 0));
    CHECK(std::equal(several.u0.begin(), several.u0.end(), none.states.begin()));
  });
}

TEST_CASE("a member that blows up stops at its step and the others finish") {
  for (const int nodes : {9, 100}) {
    study several = smooth_study(4, nodes, 20);
    several.dt = 1;
    several.members[1].a1 = 1e160;
    several.members[3].a3 = 1e200;
    const study_answer expected = answer_of(*made_on<study_runner>("cpu", "cpu_study"), several);
    CHECK(expected.steps[0] == 20);
    for_every_variant<study_runner>([&](study_runner& s) {
      const study_answer answer = answer_of(s, several);
      CHECK(answer.steps == expected.steps);
      for (std::size_t k : {1U, 3U}) CHECK(answer.steps[k] < 20);
      CHECK(std::ranges::all_of(answer.states, [](double value) { return std::isfinite(value); }));
      study without = several;
      without.members = {several.members[0], several.members[2]};
      const study_answer others = answer_of(s, without);
      const auto n = static_cast<std::ptrdiff_t>(several.unknowns());
      CHECK(std::equal(others.states.begin(), others.states.begin() + n, answer.states.begin()));
      CHECK(std::equal(others.states.begin() + n, others.states.end(), answer.states.begin() + 2 * n));
    });
  }
}

TEST_CASE("a study that makes no sense is refused, with the member named") {
  for_every_variant<study_runner>([](study_runner& s) {
    const auto complaint = [&](auto change) {
      study several = spread_study(3, 5, 2);
      change(several);
      return complaint_of<bad_input>([&] { s.load(several); });
    };
    CHECK_THAT(complaint([](study& several) { several.members[2].eps = 0; }),
               ContainsSubstring("member 2 of the study: the parameter eps is 0"));
    CHECK_FALSE(complaint([](study& several) { several.dt = 0; }).empty());
    CHECK_FALSE(complaint([](study& several) { several.u0.pop_back(); }).empty());
    CHECK_THROWS_AS(s.load(spread_study(3, 5, -1)), bad_input);
    CHECK_THROWS_AS(s.load(spread_study(0, 5, 2)), bad_input);
  });
}

TEST_CASE("a member beyond a multiprocessor's memory is refused") {
  const auto s = made_on<study_runner>("emulated", "cuda_study");
  CHECK_NOTHROW(s->load(spread_study(1, 900, 1)));
  CHECK_THAT(complaint_of<unavailable>([&] { s->load(spread_study(1, 1100, 1)); }),
             ContainsSubstring("does not fit on chip: a member of 1100 nodes needs"));
}

TEST_CASE("no sabotaged study passes") {
  study several = smooth_study(3, 13, 5);
  const check::study_expectation e(several);
  for_every_variant<study_runner>([&](study_runner& honest) {
    const auto is_red = [&](study_runner& s) { return !checkers::all_good(check::verify(s, e)); };
    CHECK_FALSE(is_red(honest));
    for (const auto& [parameter, member] : parameter_names)
      sabotaged::check_red(
          honest, {{std::string(parameter), [member = member](study& s) { s.members[1].*member *= 1.001; }}},
          is_red);
    sabotaged::check_red(honest,
                         {{"one step short", [](study& s) { --s.steps; }},
                          {"other reading", [](study& s) { s.reading = taxis::conservative; }},
                          {"swapped members", [](study& s) { std::swap(s.members[0], s.members[2]); }},
                          {"disturbed start", [](study& s) { s.u0[20] += 1e-7; }},
                          {"miscounted steps", [](study_answer& a) { --a.steps[2]; }},
                          {"truncated", [](study_answer& a) { a.states.pop_back(); }},
                          {"one NaN", [](study_answer& a) { a.states[60] = not_a_number; }}},
                         is_red);
  });
}

TEST_CASE("the case of the study runs on a GPU and compares every member") {
  const auto& e = verification::experiment_of("angiogenesis/study");
  for (const harness::case_plan& plan : e.plan({harness::preset::smoke, {{9, 1}}, {}})) {
    const harness::target on = harness::targets_of(plan.variant, "*", true).back();
    if (on.variant == nullptr) continue;
    const auto s = verification::require_case(plan, on, 1);
    CHECK(s->account()->units == 16.0 * 100 * 9);
  }
}
