// SPDX-License-Identifier: MIT
// Puts a NaN and an infinity into every input of every checker: none may call the result good.
#include "verification/checkers/conservation.hpp"
#include "verification/checkers/finding.hpp"
#include "verification/checkers/maximum.hpp"
#include "verification/checkers/norms.hpp"
#include "verification/checkers/order_fit.hpp"
#include "verification/checkers/residual.hpp"
#include "verification/checkers/trajectory.hpp"
#include "verification/tests/support/tests.hpp"

using namespace reprise;
using namespace reprise::checkers;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
const std::vector<double> lost_values{checkers::not_a_number, infinite, -infinite};

bool is_good(double value) {
  return checkers::finding{"error", value, 1e300, ""}.good();
}

// Calls measure(values) with each entry of the values replaced by each lost value in turn.
template <class Values, class Measure>
void require_lost(const Values& values, Measure measure) {
  REQUIRE(is_good(measure(values)));
  for (const double lost : lost_values)
    for (long k = 0; k < static_cast<long>(values.size()); ++k) {
      Values changed = values;
      *(changed.begin() + k) = static_cast<typename Values::value_type>(lost);
      INFO(lost << " at " << k);
      CHECK_FALSE(is_good(measure(changed)));
    }
}

const Eigen::VectorXd x = Eigen::Vector4d(1, -2, 4, 3);
const Eigen::VectorXd y = Eigen::Vector4d(1, -2.5, 4, 3);

curve bump() {
  return {{0, 1, 2, 3, 4, 5}, {-80, -70, 20, 10, -60, -80}};
}

}  // namespace

TEST_CASE("a maximum and a minimum keep a NaN wherever it comes") {
  for (const auto& values : {std::vector<double>{checkers::not_a_number, 1, 2},
                             {1, checkers::not_a_number, 2},
                             {1, 2, checkers::not_a_number}}) {
    double most = 0, least = 9;
    for (const double value : values) {
      raise(most, value);
      lower(least, value);
    }
    CHECK(std::isnan(most));
    CHECK(std::isnan(least));
    CHECK(std::isnan(largest_magnitude(values)));
    CHECK(std::isnan(largest_distance(values, std::vector<double>{1, 1, 1})));
    CHECK(std::isnan(largest_distance(std::vector<double>{1, 1, 1}, values)));
    CHECK(std::isnan(largest(Eigen::Map<const Eigen::Vector3d>(values.data()))));
    CHECK_FALSE(all_finite(values));
  }
  CHECK(std::isnan(larger(checkers::not_a_number, 1)));
  CHECK(std::isnan(larger(1, checkers::not_a_number)));
  CHECK(std::isnan(smaller(checkers::not_a_number, 1)));
  CHECK(std::isnan(smaller(1, checkers::not_a_number)));
  CHECK(larger(1, 2) == 2);
  CHECK(smaller(1, 2) == 1);
  CHECK(largest_magnitude(std::vector<double>{1, -3, 2}) == 3);
}

TEST_CASE("norms lose no value of an answer or a reference") {
  require_lost(x, [](const Eigen::VectorXd& v) { return max_relative_error(v, y); });
  require_lost(y, [](const Eigen::VectorXd& v) { return max_relative_error(x, v); });
  require_lost(std::vector<float>{1, -2, 4, 3},
               [](const std::vector<float>& v) { return max_relative_error(v, y); });
}

TEST_CASE("a drift loses no value") {
  const Eigen::VectorXd weights = Eigen::Vector4d(1, 2, 1, 2);
  require_lost(weights, [](const Eigen::VectorXd& v) { return drift(v, x, y); });
  require_lost(x, [&](const Eigen::VectorXd& v) { return drift(weights, v, y); });
  require_lost(y, [&](const Eigen::VectorXd& v) { return drift(weights, x, v); });
  CHECK_FALSE(is_good(drift(Eigen::Vector3d(1, 1, 1), x, y)));
}

TEST_CASE("a residual loses no value") {
  Eigen::SparseMatrix<double, Eigen::RowMajor, int> a(2, 2);
  a.insert(0, 0) = 2;
  a.insert(0, 1) = 1;
  a.insert(1, 1) = 4;
  const Eigen::VectorXd b = Eigen::Vector2d(2, 8), solution = Eigen::Vector2d(0, 2);
  require_lost(solution, [&](const Eigen::VectorXd& v) { return backward_error(a, v, b); });
  require_lost(b, [&](const Eigen::VectorXd& v) { return backward_error(a, solution, v); });
  const Eigen::VectorXd entries = Eigen::Map<const Eigen::VectorXd>(a.valuePtr(), 3);
  require_lost(entries, [&](const Eigen::VectorXd& v) {
    auto changed = a;
    Eigen::Map<Eigen::VectorXd>(changed.valuePtr(), 3) = v;
    return backward_error(changed, solution, b);
  });
  CHECK_FALSE(is_good(backward_error(a, Eigen::Vector3d(1, 2, 3), b)));
  CHECK_FALSE(is_good(backward_error(a, solution, Eigen::Vector3d(1, 2, 3))));
}

TEST_CASE("distances of trajectories lose no time, value or number") {
  const curve good = bump();
  const auto require_all_lost = [&](auto measure) {
    require_lost(good.v, [&](const std::vector<double>& v) { return measure(curve{good.t, v}, good); });
    require_lost(good.v, [&](const std::vector<double>& v) { return measure(good, curve{good.t, v}); });
    require_lost(good.t, [&](const std::vector<double>& t) { return measure(curve{t, good.v}, good); });
    require_lost(good.t, [&](const std::vector<double>& t) { return measure(good, curve{t, good.v}); });
  };
  require_all_lost([](const curve& a, const curve& b) { return rrms(a, b, .05); });
  require_all_lost([](const curve& a, const curve& b) { return interpolation_error(a, b, 1).absolute; });
  require_all_lost([](const curve& a, const curve& b) { return interpolation_error(a, b, 1).relative; });
  require_all_lost([](const curve& a, const curve& b) { return interpolation_error(a, b, 1).peak_safe; });
  require_all_lost([](const curve& a, const curve& b) { return activation_shift(a, b, -40, -60); });
  require_all_lost([](const curve& a, const curve& b) { return curve_distance(a, b); });
  for (const double lost : lost_values) {
    CHECK_FALSE(is_good(rrms(good, good, lost)));
    CHECK_FALSE(is_good(interpolation_error(good, good, lost).absolute));
    CHECK_FALSE(is_good(interpolation_error(good, good, lost).peak_safe));
    CHECK_FALSE(is_good(activation_shift(good, good, lost, -60)));
    CHECK_FALSE(is_good(activation_shift(good, good, -40, lost)));
  }
}

TEST_CASE("values so large that their difference overflows are no small distance") {
  const curve up{{0, 1, 2, 3}, {1.7e308, 1.7e308, 1.7e308, 1.7e308}};
  curve down = up;
  for (double& v : down.v) v = -v;
  CHECK_FALSE(is_good(interpolation_error(up, down, 1).absolute));
  CHECK_FALSE(is_good(rrms(up, down, .1)));
}

TEST_CASE("an order loses no step, error or floor") {
  const std::vector<double> steps{.1, .05, .025, .0125}, errors{1e-2, 5e-3, 2.5e-3, 1.25e-3};
  require_lost(steps, [&](const std::vector<double>& v) { return fit_order(v, errors, 0).order; });
  require_lost(errors, [&](const std::vector<double>& v) { return fit_order(steps, v, 0).high; });
  for (const double lost : lost_values) CHECK_FALSE(is_good(fit_order(steps, errors, lost).order));
}

TEST_CASE("a finding with a lost value or limit is not good, and is the worst of several") {
  for (const double lost : lost_values) {
    const checkers::finding of_value{"a", lost, 1, ""}, of_limit{"b", 0, lost, ""}, good{"c", .9, 1, ""};
    CHECK_FALSE(of_value.good());
    CHECK_FALSE(of_limit.good());
    CHECK_FALSE(all_good({good, of_value}));
    CHECK(worst_of({good, of_value}).metric == "a");
    CHECK(worst_of({of_limit, good}).metric == "b");
  }
  CHECK_FALSE(worst_of({}).good());
  CHECK(worst_of({{"a", .1, 1, ""}, {"b", .5, 1, ""}, {"c", 0, 0, ""}}).metric == "b");
}
