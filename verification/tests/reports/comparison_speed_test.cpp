// SPDX-License-Identifier: MIT
// Tests what is called faster or slower, on generated samples that behave as badly as those of real machines.
#include "reports/compare/speed.hpp"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <random>
#include <regex>
#include <string>
#include <vector>

#include "solvers/common/base/error.hpp"
#include "verification/tests/support/made_up_run.hpp"
#include "verification/tests/support/temporary_folder.hpp"

namespace {

using namespace reprise;
using namespace reprise::reports;
using namespace reprise::testing;
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;

// The text as if no line had been broken to fit a terminal.
std::string in_one_line(const std::string& text) {
  return std::regex_replace(text, std::regex("\\s+"), " ");
}

// A machine whose processes differ by half a per cent, and whose samples are correlated,
// drift, and contain large outliers.
class made_up_machine {
 public:
  explicit made_up_machine(unsigned seed) : random_(seed) {}

  std::vector<double> samples(double seconds, std::size_t count = 60) {
    const double of_process = .005 * normal_(random_);
    const double drift = .004 * normal_(random_);
    std::vector<double> values;
    double noise = 0;
    for (std::size_t i = 0; i < count; ++i) {
      noise = .8 * noise + .006 * normal_(random_);
      const double along = static_cast<double>(i) / static_cast<double>(count);
      const double outlier = uniform_(random_) < .03 ? 1.2 + uniform_(random_) : 1;
      values.push_back(seconds * std::exp(of_process + drift * along + noise) * outlier);
    }
    return values;
  }

 private:
  std::mt19937 random_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_;
};

run run_of(const std::vector<double>& values, const std::string& variant = "a") {
  auto r = a_run({a_row("table1", variant, "cpu", "8x8", 1)});
  for (std::size_t i = 0; i < values.size(); ++i) {
    r.samples.push_back({r.rows.front(), "here", static_cast<int>(i), values[i]});
  }
  return r;
}

std::vector<run> runs_of(made_up_machine& machine, int count) {
  std::vector<run> runs;
  for (int i = 0; i < count; ++i) runs.push_back(run_of(machine.samples(.01)));
  return runs;
}

speed_change verdict_between(const run& a, const run& b, const std::vector<case_noise>& noise) {
  const auto c = compare_speed(a, b, noise);
  REQUIRE(c.results.size() == 1);
  return c.results.front().change;
}

struct rates {
  int faster{}, slower{};
};

rates compare_many(int times, double slow_down, int runs_for_noise, unsigned seed) {
  made_up_machine machine(seed);
  rates r;
  for (int i = 0; i < times; ++i) {
    // Learns the noise anew each time, because the uncertainty of the learned noise is part of the test.
    const auto noise = learn_noise(runs_of(machine, runs_for_noise));
    const auto v =
        verdict_between(run_of(machine.samples(.01)), run_of(machine.samples(.01 * slow_down)), noise);
    r.faster += v == speed_change::faster ? 1 : 0;
    r.slower += v == speed_change::slower ? 1 : 0;
  }
  return r;
}

std::string complaint_about_noise(std::string_view text) {
  const temporary_folder folder;
  put(folder / "noise.csv", text);
  return complaint_of<bad_input>([&] { read_noise(folder / "noise.csv"); });
}

}  // namespace

TEST_CASE("at most one in a hundred comparisons of the same thing is called faster or slower") {
  const auto known_well = compare_many(1000, 1, 20, 1);
  CHECK(known_well.faster + known_well.slower <= 10);
  const auto known_badly = compare_many(1000, 1, 5, 2);
  CHECK(known_badly.faster + known_badly.slower <= 10);
}

TEST_CASE("five percent slower is found in at least 95 of 100 comparisons") {
  const auto found = compare_many(400, 1.05, 20, 3);
  CHECK(found.slower >= 380);
  CHECK(found.faster == 0);
  CHECK(compare_many(400, 1 / 1.05, 20, 4).faster >= 380);
}

TEST_CASE("many cases at once are called faster or slower no more often than one") {
  const timed_case one{{{"e", "v", "EPYC", "single", "8x8", ""}, "time"}};
  const std::vector<case_noise> noise{{one, 10, .005, .01}};

  CHECK(noise_floors(noise, 1).of(one).shift < noise_floors(noise, 10).of(one).shift);
  CHECK(noise_floors(noise, 10).of(one).shift < noise_floors(noise, 300).of(one).shift);
}

TEST_CASE("a shift and its interval are those of the differences of blocks") {
  const std::vector<double> a{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  std::vector<double> b;
  for (const double x : a) b.push_back(x + .5);

  const auto s = shift_between(a, b);

  CHECK(s.estimate == Approx(.5));
  CHECK(s.low < .5);
  CHECK(s.low == Approx(1 - s.high));
}

TEST_CASE("blocks are medians of successive samples, so that an outlier does not move them") {
  std::vector<double> samples(100, 2.0);
  samples[17] = 1e9;
  const auto blocks = block_medians(samples);

  REQUIRE(blocks.size() == 10);
  CHECK(blocks[1] == Approx(std::log(2.0)));
  CHECK(block_medians(std::vector{1.0, 2.0, 4.0}).size() == 3);
}

TEST_CASE("Student's quantiles are those of tables") {
  CHECK(student_quantile(1, .05) == Approx(12.706).epsilon(1e-4));
  CHECK(student_quantile(2, .05) == Approx(4.3027).epsilon(1e-4));
  CHECK(student_quantile(4, .005) == Approx(5.5976).epsilon(1e-4));
  CHECK(student_quantile(9, .01) == Approx(3.2498).epsilon(1e-4));
  CHECK(student_quantile(30, .001) == Approx(3.6460).epsilon(1e-4));
}

TEST_CASE("a case with a sample that is no time is undecided, and teaches no noise") {
  made_up_machine machine(5);
  const run good = run_of(machine.samples(.01));
  for (const double lost : {std::nan(""), HUGE_VAL, 0., -1.}) {
    run bad = good;
    bad.samples[7].value = lost;
    CHECK(verdict_between(good, bad, {}) == speed_change::undecided);
    CHECK(verdict_between(bad, good, {}) == speed_change::undecided);
    auto runs = runs_of(machine, 5);
    runs[2].samples[7].value = lost;
    CHECK_THROWS_AS(learn_noise(runs), bad_input);
  }
}

TEST_CASE("without samples enough nothing is decided") {
  const auto c = compare_speed(run_of({1, 1, 1}), run_of({9, 9, 9}), {});

  REQUIRE(c.results.size() == 1);
  CHECK(c.results.front().change == speed_change::undecided);
  CHECK_THAT(in_one_line(to_text(c, false)), ContainsSubstring("3 and 3 samples: each run needs at least 5"));
}

TEST_CASE("without a learned floor the default one holds and is said") {
  const std::vector<double> a(20, 1.0);
  CHECK(verdict_between(run_of(a), run_of(std::vector(20, 1.05)), {}) == speed_change::same);
  CHECK(verdict_between(run_of(a), run_of(std::vector(20, 1.2)), {}) == speed_change::slower);
  CHECK(verdict_between(run_of(a), run_of(std::vector(20, .8)), {}) == speed_change::faster);
  CHECK_THAT(to_text(compare_speed(run_of(a), run_of(a), {}), true), ContainsSubstring("(default)"));
}

TEST_CASE("an interval that reaches too far is undecided") {
  const auto with_halves = [](double low, double high) {
    std::vector<double> values;
    for (int i = 0; i < 20; ++i) values.push_back(i < 10 ? low : high);
    return run_of(values);
  };
  const auto a = run_of(std::vector(20, 1.0));
  CHECK(verdict_between(a, with_halves(.95, 1.2), {}) == speed_change::undecided);
  CHECK(verdict_between(a, with_halves(.95, 1.4), {}) == speed_change::undecided);
}

TEST_CASE("a time that something disturbed in either run is neither faster nor slower") {
  const auto quiet = run_of(std::vector(20, 1.0));
  auto disturbed = run_of(std::vector(20, 2.0));
  disturbed.rows.front().status = "disturbed";
  disturbed.rows.front().reason = "disturbed: the program was stopped";
  CHECK(verdict_between(quiet, disturbed, {}) == speed_change::undecided);
  CHECK(verdict_between(disturbed, quiet, {}) == speed_change::undecided);
  CHECK_THAT(in_one_line(to_text(compare_speed(quiet, disturbed, {}), false)),
             ContainsSubstring("second run: disturbed: the program was stopped"));
}

TEST_CASE("noise is learned from runs that nothing disturbed") {
  made_up_machine machine(5);
  auto runs = runs_of(machine, 6);
  const auto quiet = learn_noise(runs);
  auto slow = run_of(machine.samples(.03));
  slow.rows.front().status = "disturbed";
  runs.push_back(slow);
  CHECK(learn_noise(runs).front().largest == quiet.front().largest);
  runs.erase(runs.begin(), runs.begin() + 2);
  CHECK_THROWS_AS(learn_noise(runs), bad_input);  // four of five are quiet
}

TEST_CASE("a wrong answer of the second run is told, and has no speed") {
  auto b = run_of(std::vector(20, 1.0));
  b.rows.push_back(without_value(a_row("table1", "b", "cpu", "8x8", 0), "failed", "max error 3"));
  const auto c = compare_speed(run_of(std::vector(20, 1.0)), b, {});

  CHECK(c.count(speed_change::wrong) == 1);
  CHECK_THAT(to_text(c, false), ContainsSubstring("max error 3"));
}

TEST_CASE("cases that only one of the runs has are counted") {
  const auto c = compare_speed(run_of({1, 1}, "a"), run_of({1, 1}, "b"), {});
  CHECK(c.results.empty());
  CHECK(c.only_in_a == 1);
  CHECK(c.only_in_b == 1);
}

TEST_CASE("noise is kept in a file, by device") {
  made_up_machine machine(5);
  const auto noise = learn_noise(runs_of(machine, 6));
  const temporary_folder folder;
  put(folder / "noise.csv", to_csv(noise));
  const auto again = read_noise(folder / "noise.csv");

  REQUIRE(again.size() == 1);
  CHECK(again[0].of.device == "EPYC");
  CHECK(again[0].spread == noise[0].spread);
  auto other = again[0].of;
  other.variant = "jacobi/other";
  CHECK(noise_floors(again, 1).of(other).shift == noise_floors(again, 1).of(again[0].of).shift);
  other.device = "another";
  CHECK(noise_floors(again, 1).of(other).shift == default_floor);
}

TEST_CASE("noise that cannot be is refused") {
  made_up_machine machine(6);
  CHECK_THAT(complaint_of<bad_input>([&] { learn_noise(runs_of(machine, 4)); }),
             ContainsSubstring("too few"));
  auto runs = runs_of(machine, 4);
  runs.push_back(run_of(machine.samples(.01), "b"));
  CHECK_THAT(complaint_of<bad_input>([&] { learn_noise(runs); }), ContainsSubstring("in common"));
  const std::string header =
      "device,experiment,variant,precision,size,parameter,metric,runs,spread,largest\n";
  CHECK_THAT(complaint_about_noise(header), ContainsSubstring("no noise"));
  CHECK_THAT(complaint_about_noise(header + "d,e,v,single,8x8,,t,4,0.1,0.1\n"), ContainsSubstring("line 2"));
  CHECK_THAT(complaint_about_noise(header + "d,e,v,single,8x8,,t,9,-1,0.1\n"), ContainsSubstring("line 2"));
  CHECK_THAT(complaint_about_noise(header + "d,e,v,single,8x8,,t,9,nan,0.1\n"), ContainsSubstring("line 2"));
}
