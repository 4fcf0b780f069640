// SPDX-License-Identifier: MIT
// Tests the distances between trajectories on curves whose distance is known: shifted in time, offset, with a
// spike, with a peak that the reference does not reach.
#include <numbers>

#include "verification/checkers/trajectory.hpp"
#include "verification/tests/support/tests.hpp"

using namespace reprise;
using namespace reprise::checkers;

namespace {

constexpr double window = 10;
constexpr double spacing = .05;

// Samples at unevenly spaced times that no other curve in this file shares.
curve sampled(const std::function<double(double)>& f, double t_end, int count, double unevenness = .3) {
  curve c;
  for (int n = 0; n <= count; ++n) {
    const double s = static_cast<double>(n) / count;
    c.t.push_back(t_end * (s + unevenness * std::sin(2 * std::numbers::pi * s) / (2 * std::numbers::pi)));
    c.v.push_back(f(c.t.back()));
  }
  return c;
}

curve moved(curve c, double dt, double dv) {
  for (double& t : c.t) t += dt;
  for (double& v : c.v) v += dv;
  return c;
}

// Rises within two units of time and falls within thirty.
double action_potential(double t) {
  return -85 + 130 / (1 + std::exp(-(t - 20) * 4)) / (1 + std::exp((t - 50) / 4));
}

// A trajectory that stays where it begins.
curve resting(curve c) {
  std::ranges::fill(c.v, c.v.front());
  return c;
}

}  // namespace

TEST_CASE("a spline meets a cubic exactly, ends included, and errs by the fourth power of the distance") {
  const auto cubic = [](double t) { return 2 - t + .5 * t * t - .1 * t * t * t; };
  const curve points = sampled(cubic, 10, 9);
  cubic_spline s(points);
  for (double t = 0; t <= 10; t += .137) CHECK_THAT(s(t), WithinAbs(cubic(t), 1e-12));
  CHECK_THAT(s(3.3), WithinAbs(cubic(3.3), 1e-12));  // also backwards

  const auto error_with = [](int count) {
    const curve c = sampled([](double t) { return std::sin(t); }, 10, count);
    cubic_spline spline(c);
    double most = 0;
    for (double t = 0; t <= 10; t += .0137) most = std::max(most, std::abs(spline(t) - std::sin(t)));
    return most;
  };
  CHECK_THAT(std::log2(error_with(100) / error_with(200)), WithinAbs(4, .2));
}

TEST_CASE("equal trajectories at different times have no distance but that of interpolation") {
  const curve reference = sampled(action_potential, 100, 4000);
  const curve answer = sampled(action_potential, 100, 3000, -.2);
  CHECK(rrms(reference, reference, spacing) == 0);
  CHECK(rrms(answer, reference, spacing) < 1e-6);
  CHECK(interpolation_error(answer, reference, window).absolute < 1e-2);
  CHECK(interpolation_error(reference, reference, window).absolute == 0);
  CHECK(activation_shift(answer, reference, -40, -60) < 1e-3);
}

TEST_CASE("a shift in time is seen by RRMS as large, by the interpolated error as itself") {
  const curve reference = sampled(action_potential, 100, 20000);
  const curve answer = moved(reference, .37, 0);
  const interpolated_error e = interpolation_error(answer, reference, window);
  CHECK_THAT(e.absolute, WithinAbs(.37, 1e-9));
  CHECK_THAT(e.relative, WithinAbs(.37 / 85, 1e-9));
  CHECK_THAT(activation_shift(answer, reference, -40, -60), WithinAbs(.37, 1e-9));
  double distance = 0;
  double size = 0;
  for (int n = 8; n <= 2000; ++n) {
    const double v = action_potential(n * spacing - .37);
    distance += std::pow(v - action_potential(n * spacing), 2);
    size += v * v;
  }
  CHECK_THAT(rrms(answer, reference, spacing), WithinRel(std::sqrt(distance / size), 1e-6));
  CHECK(rrms(answer, reference, spacing) > 5 * e.relative);
}

TEST_CASE("an offset in voltage is seen as itself, and relative to the answer") {
  const auto flat = [](double) { return -80.; };
  const curve reference = sampled(flat, 100, 500);
  const curve answer = moved(reference, 0, 4);
  const interpolated_error e = interpolation_error(answer, reference, window);
  CHECK_THAT(e.absolute, WithinRel(4, 1e-12));
  CHECK_THAT(e.relative, WithinRel(4. / 76, 1e-12));
  CHECK_THAT(e.peak_safe, WithinRel(4, 1e-12));
  CHECK_THAT(rrms(answer, reference, spacing), WithinRel(4. / 76, 1e-12));
  CHECK(activation_shift(answer, reference, -40, -60) == 0);

  // On a slope of 2 the same offset corresponds to half the distance in time.
  const curve slope = sampled([](double t) { return 2 * t - 100; }, 100, 500);
  CHECK_THAT(interpolation_error(moved(slope, 0, 4), slope, window).absolute, WithinAbs(4, 1e-9));
  curve inside = moved(slope, 0, 4);
  inside.t.resize(400);
  inside.v.resize(400);
  CHECK_THAT(interpolation_error(inside, slope, window).absolute, WithinAbs(2, 1e-9));
}

TEST_CASE("a spike of one point has its height") {
  const curve reference = sampled([](double) { return -80.; }, 100, 500);
  curve answer = reference;
  answer.v[250] += 25;
  const interpolated_error e = interpolation_error(answer, reference, window);
  CHECK_THAT(e.absolute, WithinRel(25, 1e-12));
  CHECK_THAT(e.peak_safe, WithinRel(25, 1e-12));
  CHECK(rrms(answer, reference, spacing) < 25. / 80 / 5);
  CHECK(std::isnan(activation_shift(answer, reference, -60, -70)));
}

TEST_CASE("a late front with a slightly higher peak has a large interpolated and a small safe error") {
  const curve reference = sampled(action_potential, 100, 20000);
  curve answer = moved(reference, -.8, 0);
  const auto peak = std::max_element(answer.v.begin(), answer.v.end()) - answer.v.begin();
  // The answer is 0.8 early, and its peak is 0.2 higher at a time when the reference is still low.
  const auto steep = static_cast<std::size_t>(peak);
  for (std::size_t n = 0; n < answer.v.size(); ++n)
    if (answer.t[n] > 19.8 && answer.t[n] < 20.2) answer.v[n] = answer.v[steep] + .2;
  const interpolated_error e = interpolation_error(answer, reference, window);
  CHECK(e.absolute > 60);
  CHECK_THAT(e.peak_safe, WithinAbs(.8, .05));
}

TEST_CASE("the distance along the curves of a shifted action potential is its shift, at any sampling") {
  const curve reference = sampled(action_potential, 100, 20000);
  for (const double shift : {-.8, -.05, .02, .37, 2.}) {
    for (const int points : {2000, 5000, 20000}) {
      const curve answer = moved(sampled(action_potential, 100, points), shift, 0);
      INFO("shift " << shift << ", " << points << " points");
      CHECK_THAT(curve_distance(answer, reference), WithinAbs(std::abs(shift), .03 + 100. / points));
    }
  }
  CHECK(curve_distance(reference, reference) == 0);
}

TEST_CASE("the distance along the curves of an early and slightly higher peak is to the reference's tip") {
  const curve reference = sampled(action_potential, 100, 20000);
  const double top = *std::max_element(reference.v.begin(), reference.v.end());
  for (const double higher : {.01, .2, 2.}) {
    curve answer = moved(reference, -.8, 0);
    for (double& v : answer.v)
      if (v == top) v += higher;  // one point, as the peak of a run with long steps
    CHECK_THAT(curve_distance(answer, reference), WithinAbs(std::hypot(.8, higher), .1));
  }
}

TEST_CASE("the distance along the curves of a cut-off peak is what is cut off") {
  const curve reference = sampled(action_potential, 100, 20000);
  const double top = *std::max_element(reference.v.begin(), reference.v.end());
  for (const double cut : {.5, 5., 30.}) {
    curve answer = reference;
    for (double& v : answer.v) v = std::min(v, top - cut);
    const double apart = curve_distance(answer, reference);
    INFO("cut " << cut << ": " << apart);
    CHECK(apart <= cut);
    CHECK(apart > .5 * cut);
    CHECK_THAT(curve_distance(reference, answer), WithinRel(apart, 1e-12));
  }
  // A trajectory that ends early is compared as far as it goes.
  curve shorter = reference;
  shorter.t.resize(15000);
  shorter.v.resize(15000);
  CHECK(curve_distance(shorter, reference) == 0);
}

TEST_CASE("the distance along the curves of a front that the end cuts off is its shift at most") {
  for (const double end : {19., 19.6, 20., 20.3, 21., 22.}) {
    const curve reference = sampled(action_potential, end, 5000);
    for (const double shift : {-.5, -.05, .05, .5}) {
      const curve answer = sampled([shift](double t) { return action_potential(t - shift); }, end, 3000);
      INFO("end " << end << ", shift " << shift);
      CHECK(curve_distance(answer, reference) <= std::abs(shift) + .03);
    }
  }
}

TEST_CASE("the distance along the curves of a front that is missing long before the end is its height") {
  const curve reference = sampled(action_potential, 25, 5000);
  const curve flat = resting(reference);
  CHECK(curve_distance(flat, reference) > 4);
  CHECK(curve_distance(reference, flat) > 4);
}

TEST_CASE("the distance along the curves of a noisy action potential is that of the noise") {
  const curve reference = sampled(action_potential, 100, 20000);
  for (const double noise : {.05, .5}) {
    curve answer = reference;
    for (std::size_t n = 0; n < answer.v.size(); ++n) answer.v[n] += n % 2 == 0 ? noise : -noise;
    const double apart = curve_distance(answer, reference);
    INFO("noise " << noise << ": " << apart);
    CHECK(apart <= noise + 1e-12);
    CHECK(apart > .5 * noise);
  }
}

TEST_CASE("a missing action potential is far from the reference, and so is an extra one") {
  const curve reference = sampled(action_potential, 100, 2000);
  const curve flat = resting(reference);
  CHECK(curve_distance(flat, reference) > 50);
  CHECK(curve_distance(reference, flat) > 50);
}

TEST_CASE("a cell that trembles at the threshold is activated once, and again after it has rested") {
  const auto twice = [](double t) { return action_potential(t) + action_potential(t - 100) + 85; };
  const curve reference = sampled(twice, 200, 4000);
  curve answer = moved(reference, .25, 0);
  for (std::size_t n = 1; n + 1 < answer.v.size(); ++n)
    if (answer.t[n] > 40 && answer.t[n] < 70) answer.v[n] += n % 2 == 0 ? 1 : -1;
  CHECK_THAT(activation_shift(answer, reference, -40, -60), WithinAbs(.25, 1e-9));
  curve once = reference;
  for (std::size_t n = 0; n < once.v.size(); ++n)
    if (once.t[n] > 100) once.v[n] = -85;
  CHECK(std::isnan(activation_shift(once, reference, -40, -60)));
}

TEST_CASE("the interpolated error of two passages is that of the nearer one") {
  const curve reference = sampled([](double t) { return std::abs(t - 50) - 30; }, 100, 1000);
  const curve answer = moved(reference, .5, 0);
  CHECK_THAT(interpolation_error(answer, reference, window).absolute, WithinAbs(.5, 1e-9));
}

TEST_CASE("a trajectory that is none has no distance") {
  const curve good = sampled(action_potential, 100, 100);
  curve bad = good;
  bad.v[50] = not_a_number;
  curve shorter = good;
  shorter.v.pop_back();
  curve falling = good;
  falling.t[3] = falling.t[2];
  const curve few{{0, 1, 2}, {0, 1, 2}};
  for (const curve& c : {bad, shorter, falling, few, curve{}}) {
    CHECK(std::isnan(rrms(c, good, spacing)));
    CHECK(std::isnan(rrms(good, c, spacing)));
    CHECK(std::isnan(interpolation_error(c, good, window).absolute));
    CHECK(std::isnan(interpolation_error(good, c, window).peak_safe));
    CHECK(std::isnan(activation_shift(c, good, -40, -60)));
    CHECK(std::isnan(curve_distance(c, good)));
    CHECK(std::isnan(curve_distance(good, c)));
  }
}
